package benchd;

import static benchd.Checks.check;
import static benchd.Checks.equal;
import static benchd.ClientTest.F;
import static benchd.ClientTest.G;
import static benchd.ClientTest.b;
import static benchd.ClientTest.table;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Scans over four regions: order, ends, limits, reversed, in pieces. */
final class ScanChecks {
  private static final int ROWS = 400;

  private final Connection connection;
  private List<String> all;

  ScanChecks(Connection connection) {
    this.connection = connection;
  }

  void register(Checks checks) {
    checks.add("scan: all rows once, in order", () -> equal(keys(), scan(new Scan()), "rows"));
    checks.add("scan: ends inclusive and exclusive", this::ends);
    checks.add("scan: limit, one row, and a first batch", this::limits);
    checks.add("scan: any caching and result size give the same rows", this::pieces);
    checks.add("scan: reversed, with ends and limit", this::reversed);
    checks.add("scan: columns, families, versions, times", this::columns);
    checks.add("scan: cells of a row in batches and partial results", this::partial);
    checks.add("scan: a range without rows, and a scanner closed early", this::empty);
  }

  /** Writes rows g~scan-000, o~scan-001 … over the regions at the first use and returns their names in order. */
  private List<String> keys() throws Exception {
    if (all != null) {
      return all;
    }
    String[] regions = {"g", "o", "s", "z"};
    List<Put> puts = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      String name = String.format("%s~scan-%03d", regions[i % regions.length], i);
      names.add(name);
      puts.add(new Put(b(name)).addColumn(F, b("a"), 100, Bytes.toBytes(i)).addColumn(F, b("a"), 200, Bytes.toBytes(i))
          .addColumn(F, b("b"), 200, new byte[300]).addColumn(G, b("c"), 200, b("g")));
    }
    try (Table t = table(connection)) {
      t.put(puts);
    }
    Collections.sort(names);
    all = names;
    return all;
  }

  /** Returns the names of the rows of these checks. */
  private List<String> scan(Scan s) throws Exception {
    keys();
    List<String> out = new ArrayList<>();
    try (Table t = table(connection); ResultScanner scanner = t.getScanner(s)) {
      for (Result r : scanner) {
        String row = Bytes.toString(r.getRow());
        if (row.contains("~scan-")) {
          out.add(row);
        }
      }
    }
    return out;
  }

  private void ends() throws Exception {
    List<String> keys = keys();
    Scan s = new Scan().withStartRow(b(keys.get(10))).withStopRow(b(keys.get(350)));
    equal(keys.subList(10, 350), scan(s), "from inclusive to exclusive");
    s = new Scan().withStartRow(b(keys.get(10)), false).withStopRow(b(keys.get(350)), true);
    equal(keys.subList(11, 351), scan(s), "from exclusive to inclusive");
    s = new Scan().withStartRow(b(keys.get(7))).withStopRow(b(keys.get(7)), true);
    equal(keys.subList(7, 8), scan(s), "one row");
    equal(keys.subList(0, 100), scan(new Scan().setStartStopRowForPrefixScan(b("g~scan-"))), "by prefix");
  }

  private void limits() throws Exception {
    List<String> keys = keys();
    equal(keys.subList(0, 1), scan(new Scan().withStartRow(b("g~scan-")).setLimit(1)), "one");
    equal(keys.subList(0, 30), scan(new Scan().withStartRow(b("g~scan-")).setLimit(30).setCaching(7)), "30 by sevens");
    equal(keys.subList(90, 100), scan(new Scan().withStartRow(b(keys.get(90))).withStopRow(b("h")).setLimit(50)),
        "a limit beyond the end");
    equal(keys.subList(5, 6), scan(new Scan().withStartRow(b(keys.get(5))).setOneRowLimit()), "one row limit");
    equal(keys.subList(5, 25),
        scan(new Scan().withStartRow(b(keys.get(5))).setLimit(20).setReadType(Scan.ReadType.PREAD)), "by positional read");
  }

  private void pieces() throws Exception {
    List<String> keys = keys();
    Scan single = new Scan().withStartRow(b("g~scan-")).withStopRow(b("h")).setCaching(1);
    equal(keys.subList(0, 100), scan(single), "caching 1");
    for (int caching : new int[] {3, 100, 10_000}) {
      equal(keys, scan(new Scan().setCaching(caching)), "caching " + caching);
    }
    equal(keys, scan(new Scan().setMaxResultSize(2000)), "results of 2000 bytes");
    equal(keys, scan(new Scan().setCacheBlocks(false).setReadType(Scan.ReadType.STREAM)), "streaming, without cache");
  }

  private void reversed() throws Exception {
    List<String> keys = new ArrayList<>(keys());
    Collections.reverse(keys);
    equal(keys, scan(new Scan().setReversed(true)), "all");
    equal(keys, scan(new Scan().setReversed(true).setCaching(9)), "by nines");
    equal(keys.subList(40, 60), scan(new Scan().setReversed(true).withStartRow(b(keys.get(40))).setLimit(20)), "limited");
    equal(keys.subList(40, 260),
        scan(new Scan().setReversed(true).withStartRow(b(keys.get(40))).withStopRow(b(keys.get(260)))), "with ends");
    equal(keys.subList(41, 261),
        scan(new Scan().setReversed(true).withStartRow(b(keys.get(40)), false).withStopRow(b(keys.get(260)), true)),
        "from exclusive to inclusive");
  }

  private void columns() throws Exception {
    keys();
    try (Table t = table(connection)) {
      Scan base = new Scan().withStartRow(b("o~scan-")).withStopRow(b("o~scan-~"));
      equal(100 * 3, cells(t, new Scan(base)), "newest cells of all columns");
      equal(100 * 4, cells(t, new Scan(base).readAllVersions()), "all versions");
      equal(100, cells(t, new Scan(base).addFamily(G)), "one family");
      equal(200, cells(t, new Scan(base).addColumn(F, b("a")).addColumn(G, b("c"))), "two columns");
      equal(0, cells(t, new Scan(base).addColumn(F, b("none"))), "a missing column");
      equal(100, cells(t, new Scan(base).setTimeRange(50, 150).readAllVersions()), "a time range");
      equal(100, cells(t, new Scan(base).setTimestamp(100)), "one time");
    }
  }

  private static int cells(Table t, Scan s) throws Exception {
    int n = 0;
    try (ResultScanner scanner = t.getScanner(s)) {
      for (Result r : scanner) {
        n += r.size();
      }
    }
    return n;
  }

  private void partial() throws Exception {
    byte[] row = b("s~wide");
    try (Table t = table(connection)) {
      Put put = new Put(row);
      for (int i = 0; i < 100; i++) {
        put.addColumn(F, b(String.format("q%03d", i)), new byte[1000]);
      }
      t.put(put);
      Scan one = new Scan().withStartRow(row).withStopRow(row, true);
      List<Integer> sizes = new ArrayList<>();
      try (ResultScanner scanner = t.getScanner(new Scan(one).setBatch(30))) {
        for (Result r : scanner) {
          sizes.add(r.size());
        }
      }
      equal(List.of(30, 30, 30, 10), sizes, "cells by thirties");
      int total = 0;
      int results = 0;
      try (ResultScanner scanner = t.getScanner(new Scan(one).setAllowPartialResults(true).setMaxResultSize(10_000))) {
        for (Result r : scanner) {
          total += r.size();
          results++;
        }
      }
      equal(100, total, "cells of partial results");
      check(results > 1, "a row larger than a result comes in parts where parts are allowed");
      try (ResultScanner scanner = t.getScanner(new Scan(one).setMaxResultSize(10_000))) {
        equal(100, scanner.next().size(), "and whole where they are not");
        equal(null, scanner.next(), "then nothing");
      }
      equal(100, cells(t, new Scan(one).setReversed(true)), "and reversed");
    }
  }

  private void empty() throws Exception {
    keys();
    equal(List.of(), scan(new Scan().withStartRow(b("g~scan-z")).withStopRow(b("g~scan-zz"))), "no row in the range");
    equal(List.of(), scan(new Scan().withStartRow(b("z~t"))), "no row after the start");
    try (Table t = table(connection)) {
      for (int i = 0; i < 20; i++) {
        try (ResultScanner scanner = t.getScanner(new Scan().setCaching(2).withStartRow(b("g~scan-")))) {
          check(scanner.next() != null && scanner.next() != null && scanner.next() != null, "three rows, then closed");
        }
      }
    }
  }
}
