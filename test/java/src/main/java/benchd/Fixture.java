package benchd;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows as YCSB writes them under dataintegrity=true, with HBase's official client and YCSB's formulas, without any code of
 * benchd:
 *
 * <pre>
 *   Fixture write  QUORUM TABLE FAMILY FIRST COUNT FIELDS LENGTH    writes the rows of COUNT key numbers from FIRST
 *   Fixture verify QUORUM TABLE FAMILY FIRST COUNT FIELDS LENGTH [STEP]
 *                                                   reads them, each field to its last byte; of every STEPth number
 *   Fixture count  QUORUM TABLE FAMILY                              counts the rows by a scan
 *   Fixture sum    QUORUM TABLE FAMILY                              reads all rows and adds up their contents
 * </pre>
 *
 * <p>It prints rows=N, and verify also not_found=N mismatches=N; its exit code is 1 when one of these is not 0. Sum prints
 * rows=N cells=N bytes=N counters=N: cells and the bytes of their values but for column "counter", whose numbers it adds
 * up.
 */
public final class Fixture {
  private static final int BATCH = 500;

  private final Connection connection;
  private final TableName table;
  private final byte[] family;

  private Fixture(Connection connection, String table, String family) {
    this.connection = connection;
    this.table = TableName.valueOf(table);
    this.family = Bytes.toBytes(family);
  }

  /** Writes, verifies or counts; see the class comment. */
  public static void main(String[] args) throws Exception {
    boolean rows = args.length == 8 && (args[0].equals("write") || args[0].equals("verify"))
        || args.length == 9 && args[0].equals("verify");
    if (!rows && !(args.length == 4 && (args[0].equals("count") || args[0].equals("sum")))) {
      System.err.println(
          "Fixture takes write|verify QUORUM TABLE FAMILY FIRST COUNT FIELDS LENGTH [STEP], or count|sum QUORUM TABLE FAMILY");
      System.exit(2);
    }
    Ycsb.check();
    boolean good = true;
    try (Connection c = ConnectionFactory.createConnection(ClientTest.configuration(args[1]))) {
      Fixture f = new Fixture(c, args[2], args[3]);
      if (args[0].equals("count")) {
        f.count();
      } else if (args[0].equals("sum")) {
        f.sum();
      } else if (args[0].equals("write")) {
        f.write(Long.parseLong(args[4]), Long.parseLong(args[5]), Integer.parseInt(args[6]), Integer.parseInt(args[7]));
      } else {
        good = f.verify(Long.parseLong(args[4]), Long.parseLong(args[5]), Integer.parseInt(args[6]),
            Integer.parseInt(args[7]), args.length == 9 ? Long.parseLong(args[8]) : 1);
      }
    }
    System.exit(good ? 0 : 1);
  }

  private void write(long first, long count, int fields, int length) throws Exception {
    try (BufferedMutator m = connection.getBufferedMutator(table)) {
      for (long n = first; n < first + count; n++) {
        String key = Ycsb.key(n);
        Put put = new Put(Bytes.toBytes(key));
        for (int f = 0; f < fields; f++) {
          put.addColumn(family, Bytes.toBytes("field" + f), Ycsb.value(key, "field" + f, length));
        }
        m.mutate(put);
      }
    }
    System.out.println("rows=" + count);
  }

  private boolean verify(long first, long count, int fields, int length, long step) throws Exception {
    long missing = 0;
    long wrong = 0;
    try (Table t = connection.getTable(table)) {
      for (long from = 0; from < count; from += BATCH) {
        List<Get> gets = new ArrayList<>();
        for (long i = from; i < Math.min(from + BATCH, count); i++) {
          gets.add(new Get(Bytes.toBytes(Ycsb.key(first + i * step))).addFamily(family));
        }
        Result[] results = t.get(gets);
        for (int i = 0; i < results.length; i++) {
          long number = first + (from + i) * step;
          String key = Ycsb.key(number);
          if (results[i].isEmpty()) {
            report("missing", number, key, missing++);
          } else if (!same(results[i], key, fields, length)) {
            report("not as YCSB writes it", number, key, wrong++);
          }
        }
      }
    }
    System.out.printf("rows=%d not_found=%d mismatches=%d%n", count, missing, wrong);
    return missing == 0 && wrong == 0;
  }

  /** Prints the first few wrong rows. */
  private static void report(String what, long number, String key, long before) {
    if (before < 5) {
      System.out.printf("%s: key number %d, row %s%n", what, number, key);
    }
  }

  private boolean same(Result r, String key, int fields, int length) {
    if (r.size() != fields) {
      return false;
    }
    for (int f = 0; f < fields; f++) {
      Cell cell = r.getColumnLatestCell(family, Bytes.toBytes("field" + f));
      if (cell == null || !Arrays.equals(Ycsb.value(key, "field" + f, length), CellUtil.cloneValue(cell))) {
        return false;
      }
    }
    return true;
  }

  private void count() throws Exception {
    long n = 0;
    Scan scan = new Scan().addFamily(family).setCaching(5000)
        .setFilter(new FilterList(new FirstKeyOnlyFilter(), new KeyOnlyFilter()));
    try (Table t = connection.getTable(table); ResultScanner scanner = t.getScanner(scan)) {
      for (Result r : scanner) {
        n += r.isEmpty() ? 0 : 1;
      }
    }
    System.out.println("rows=" + n);
  }

  private void sum() throws Exception {
    long rows = 0;
    long cells = 0;
    long bytes = 0;
    long counters = 0;
    try (Table t = connection.getTable(table);
        ResultScanner scanner = t.getScanner(new Scan().addFamily(family).setCaching(500))) {
      for (Result r : scanner) {
        rows++;
        for (Cell c : r.rawCells()) {
          if (CellUtil.matchingQualifier(c, Bytes.toBytes("counter"))) {
            counters += Bytes.toLong(CellUtil.cloneValue(c));
          } else {
            cells++;
            bytes += c.getValueLength();
          }
        }
      }
    }
    System.out.printf("rows=%d cells=%d bytes=%d counters=%d%n", rows, cells, bytes, counters);
  }
}
