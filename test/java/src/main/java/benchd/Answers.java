package benchd;

import static benchd.ClientTest.F;
import static benchd.ClientTest.b;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Prints a server's answers to a list of calls, one per line. A real HBase and benchd's sandbox must print the same.
 *
 * <pre>
 *   test/java/run Answers 127.0.0.1:2181
 * </pre>
 */
public final class Answers {
  private static final TableName TABLE = TableName.valueOf("benchd_answers");
  private static final TableName FIXED = TableName.valueOf("benchd_answers_read_only");
  private static final int ROWS = 12;

  private final Connection connection;
  private final Admin admin;
  private final List<String> lines = new ArrayList<>();

  /** A call whose answer is a text. */
  interface Call {
    String answer() throws Exception;
  }

  private Answers(Connection connection, Admin admin) {
    this.connection = connection;
    this.admin = admin;
  }

  /** Makes the calls; see the class comment. */
  public static void main(String[] args) throws Exception {
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    try (Connection connection = ConnectionFactory.createConnection(ClientTest.configuration(args[0]));
        Admin admin = connection.getAdmin()) {
      Answers a = new Answers(connection, admin);
      a.drop();
      a.fill();
      a.readOnly();
      a.limits();
      a.metrics();
      a.filters();
      a.drop();
      a.lines.forEach(System.out::println);
    }
  }

  private void add(String name, Call call) {
    String answer;
    try {
      answer = call.answer();
    } catch (Exception e) {
      Throwable t = e;
      while (t.getCause() != null && !(t.getCause() instanceof org.apache.hadoop.ipc.RemoteException)) {
        t = t.getCause();
      }
      answer = t.getClass().getSimpleName();
    }
    lines.add(name + ": " + answer);
  }

  private void drop() throws Exception {
    for (TableName t : new TableName[] {TABLE, FIXED}) {
      if (admin.tableExists(t)) {
        ClientTest.dropTable(admin, t);
      }
    }
  }

  /** Row i of 12, in two regions, has columns a, b, c and, if i is even, d; a's value is i % 3, the others' values are their names. */
  private void fill() throws Exception {
    TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(TABLE)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build());
    admin.createTable(t.build(), new byte[][] {b("r06")});
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      Put p = new Put(b(String.format("r%02d", i)));
      p.addColumn(F, b("a"), 100, b(String.valueOf(i % 3)));
      p.addColumn(F, b("b"), 100, b("b"));
      p.addColumn(F, b("c"), 200, b("c"));
      if (i % 2 == 0) {
        p.addColumn(F, b("d"), 100, b("d"));
      }
      puts.add(p);
    }
    try (Table table = connection.getTable(TABLE)) {
      table.put(puts);
    }
  }

  private String cells(Scan scan) throws Exception {
    StringBuilder out = new StringBuilder();
    try (Table table = connection.getTable(TABLE); ResultScanner scanner = table.getScanner(scan)) {
      for (Result r : scanner) {
        out.append(Bytes.toString(r.getRow())).append('=');
        for (Cell c : r.rawCells()) {
          out.append(Bytes.toString(CellUtil.cloneQualifier(c)));
        }
        out.append(' ');
      }
    }
    return out.toString().trim();
  }

  private void readOnly() throws Exception {
    TableDescriptorBuilder d = TableDescriptorBuilder.newBuilder(FIXED)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).setReadOnly(true);
    admin.createTable(d.build());
    add("read only: it says so", () -> String.valueOf(admin.getDescriptor(FIXED).isReadOnly()));
    try (Table t = connection.getTable(FIXED)) {
      Put p = new Put(b("r")).addColumn(F, b("a"), b("1"));
      add("read only: put", () -> {
        t.put(p);
        return "done";
      });
      add("read only: puts", () -> {
        t.put(List.of(p, new Put(b("s")).addColumn(F, b("a"), b("1"))));
        return "done";
      });
      add("read only: delete", () -> {
        t.delete(new Delete(b("r")));
        return "done";
      });
      add("read only: increment", () -> t.increment(new Increment(b("r")).addColumn(F, b("n"), 1)).toString());
      add("read only: check and put", () -> String.valueOf(t.checkAndMutate(b("r"), F).qualifier(b("a")).ifNotExists().thenPut(p)));
      add("read only: get", () -> String.valueOf(t.get(new Get(b("r"))).isEmpty()));
      admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(FIXED)).setReadOnly(false).build());
      add("read only no more: put", () -> {
        t.put(p);
        return "done";
      });
    }
  }

  private void limits() {
    for (int limit : new int[] {1, 5, 7, 12, 20}) {
      for (int size : new int[] {1, 100, 300, 100_000}) {
        add("limit " + limit + " in pages of " + size + " bytes", () -> cells(new Scan().setLimit(limit).setMaxResultSize(size)));
      }
      add("limit " + limit + " with caching 2", () -> cells(new Scan().setLimit(limit).setCaching(2)));
      add("limit " + limit + " in batches of 2 cells", () -> cells(new Scan().setLimit(limit).setBatch(2)));
    }
  }

  private void metrics() {
    Map<String, Scan> scans = new TreeMap<>();
    scans.put("all", new Scan());
    scans.put("by twos", new Scan().setCaching(2));
    scans.put("limit 5", new Scan().setLimit(5));
    scans.put("value 1", new Scan().setFilter(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("1")))));
    scans.put("one region", new Scan().withStopRow(b("r06")));
    scans.forEach((name, scan) -> add("metrics, " + name, () -> {
      try (Table table = connection.getTable(TABLE); ResultScanner scanner = table.getScanner(scan.setScanMetricsEnabled(true))) {
        int rows = 0;
        while (scanner.next() != null) {
          rows++;
        }
        return rows + " rows, scanned " + scanner.getScanMetrics().countOfRowsScanned + ", filtered "
            + scanner.getScanMetrics().countOfRowsFiltered;
      }
    }));
  }

  private void filters() {
    Map<String, Filter> all = new TreeMap<>();
    for (int n = 1; n <= 5; n++) {
      all.put("ColumnCountGet " + n, new ColumnCountGetFilter(n));
    }
    all.put("WhileMatch(ColumnPrefix a)", new WhileMatchFilter(new ColumnPrefixFilter(b("a"))));
    all.put("WhileMatch(ColumnPrefix b)", new WhileMatchFilter(new ColumnPrefixFilter(b("b"))));
    all.put("WhileMatch(Value = c)", new WhileMatchFilter(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("c")))));
    all.put("Skip(Prefix r0)", new SkipFilter(new PrefixFilter(b("r0"))));
    all.put("Skip(Prefix r03)", new SkipFilter(new PrefixFilter(b("r03"))));
    all.put("Skip(Value != 1)", new SkipFilter(new ValueFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(b("1")))));
    all.put("Skip(ColumnPrefix a)", new SkipFilter(new ColumnPrefixFilter(b("a"))));
    all.put("DependentColumn a", new DependentColumnFilter(F, b("a")));
    all.put("DependentColumn a, dropped", new DependentColumnFilter(F, b("a"), true));
    all.put("DependentColumn a = 1",
        new DependentColumnFilter(F, b("a"), false, CompareOperator.EQUAL, new BinaryComparator(b("1"))));
    all.put("DependentColumn none", new DependentColumnFilter(F, b("none")));
    all.put("Page 5", new PageFilter(5));
    all.put("Page 5 and Value = 1", new FilterList(new PageFilter(5), new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("1")))));
    all.forEach((name, f) -> {
      add(name, () -> cells(new Scan().setFilter(f)));
      add(name + ", by twos", () -> cells(new Scan().setFilter(f).setCaching(2)));
      add(name + ", in pages of 100 bytes", () -> cells(new Scan().setFilter(f).setMaxResultSize(100)));
      add(name + ", limit 5", () -> cells(new Scan().setFilter(f).setLimit(5)));
      add(name + ", on a get", () -> {
        try (Table t = connection.getTable(TABLE)) {
          Result r = t.get(new Get(b("r04")).setFilter(f));
          return r.isEmpty() ? "empty" : String.valueOf(r.size());
        }
      });
    });
  }
}
