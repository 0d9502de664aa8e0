package benchd;

import static benchd.Checks.check;
import static benchd.Checks.equal;
import static benchd.Checks.eventually;
import static benchd.ClientTest.F;
import static benchd.ClientTest.NAMESPACE;
import static benchd.ClientTest.TABLE;
import static benchd.ClientTest.b;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Regions: their places, and administration while clients continue. */
final class RegionChecks {
  private static final int ROWS = 600;

  private final Connection connection;

  RegionChecks(Connection connection) {
    this.connection = connection;
  }

  void register(Checks checks) {
    checks.add("regions: locations", this::locations);
    checks.add("regions: flush, compact, major compact", this::compact);
    checks.add("regions: split at a row and in the middle", this::split);
    checks.add("regions: move, and back", this::move);
    checks.add("regions: a scan continues while its regions move and split", this::scanAcross);
    checks.add("regions: puts and gets continue while regions move", this::writeAcross);
    checks.add("regions: balancer on and off, balance", this::balancer);
  }

  private interface Body {
    void with(Admin admin, TableName name, Table table) throws Exception;
  }

  /** Runs a body on a table of two regions, with rows 000 to 599 written. */
  private void onTable(String suffix, Body body) throws Exception {
    TableName name = TableName.valueOf(NAMESPACE, suffix);
    try (Admin admin = connection.getAdmin(); Table table = connection.getTable(name)) {
      admin.createTable(TableDescriptorBuilder.newBuilder(name)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build(), new byte[][] {b("300")});
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        puts.add(put(i, "first"));
      }
      table.put(puts);
      body.with(admin, name, table);
      ClientTest.dropTable(admin, name);
    }
  }

  private static byte[] row(int i) {
    return b(String.format("%03d", i));
  }

  private static Put put(int i, String value) {
    return new Put(row(i)).addColumn(F, b("q"), b(value)).addColumn(F, b("pad"), new byte[200]);
  }

  private static void allThere(Table t) throws Exception {
    int i = 0;
    try (ResultScanner scanner = t.getScanner(new Scan())) {
      for (Result r : scanner) {
        equal(Bytes.toString(row(i)), Bytes.toString(r.getRow()), "row " + i);
        i++;
      }
    }
    equal(ROWS, i, "rows");
  }

  private void locations() throws Exception {
    try (RegionLocator locator = connection.getRegionLocator(TABLE); Admin admin = connection.getAdmin()) {
      List<HRegionLocation> all = locator.getAllRegionLocations();
      equal(4, all.size(), "locations");
      for (HRegionLocation l : all) {
        check(admin.getRegionServers().contains(l.getServerName()), l.getServerName() + " is a live server");
      }
      byte[][] starts = locator.getStartKeys();
      equal("", Bytes.toString(starts[0]), "the first start key");
      for (int i = 0; i < ClientTest.SPLITS.length; i++) {
        check(Arrays.equals(ClientTest.SPLITS[i], starts[i + 1]), "start key " + (i + 1));
      }
      HRegionLocation of = locator.getRegionLocation(b("k"), true);
      equal("h", Bytes.toString(of.getRegion().getStartKey()), "the region of k begins at");
      check(of.getRegion().containsRow(b("k")), "it holds k");
      equal(4, admin.getRegions(TABLE).size(), "regions as the administrator sees them");
      int hosted = 0;
      for (ServerName s : admin.getRegionServers()) {
        for (RegionInfo r : admin.getRegions(s)) {
          hosted += r.getTable().equals(TABLE) ? 1 : 0;
        }
      }
      equal(4, hosted, "regions of the table on all servers");
    }
  }

  private void compact() throws Exception {
    onTable("compacted", (admin, name, table) -> {
      for (int round = 0; round < 3; round++) {
        table.put(put(round, "again"));
        table.put(put(ROWS - 1 - round, "again"));
        admin.flush(name);
      }
      admin.compact(name);
      eventually("no compaction runs", () -> admin.getCompactionState(name) == CompactionState.NONE);
      admin.majorCompact(name);
      eventually("no compaction runs", () -> admin.getCompactionState(name) == CompactionState.NONE);
      for (RegionInfo r : admin.getRegions(name)) {
        admin.flushRegion(r.getRegionName());
        admin.compactRegion(r.getRegionName());
        admin.majorCompactRegion(r.getRegionName());
      }
      allThere(table);
      equal("again", Bytes.toString(table.get(new Get(row(1))).getValue(F, b("q"))), "the newest value");
    });
  }

  private void split() throws Exception {
    onTable("split", (admin, name, table) -> {
      admin.flush(name);
      admin.split(name, b("150"));
      eventually("three regions", () -> admin.getRegions(name).size() == 3 && admin.isTableAvailable(name));
      equal("150", Bytes.toString(startOf(name, row(200))), "the new region's start");
      allThere(table);
      RegionInfo last = last(admin, name);
      admin.splitRegionAsync(last.getRegionName()).get(30, TimeUnit.SECONDS);
      eventually("four regions", () -> admin.getRegions(name).size() == 4 && admin.isTableAvailable(name));
      check(!Arrays.equals(last.getRegionName(), last(admin, name).getRegionName()), "the parent is gone");
      allThere(table);
      table.put(put(450, "after the split"));
      equal("after the split", Bytes.toString(table.get(new Get(row(450))).getValue(F, b("q"))), "a new value");
    });
  }

  private byte[] startOf(TableName name, byte[] row) throws Exception {
    try (RegionLocator locator = connection.getRegionLocator(name)) {
      return locator.getRegionLocation(row, true).getRegion().getStartKey();
    }
  }

  private static RegionInfo last(Admin admin, TableName name) throws Exception {
    List<RegionInfo> regions = admin.getRegions(name);
    return regions.get(regions.size() - 1);
  }

  private ServerName serverOf(TableName name, byte[] row) throws Exception {
    try (RegionLocator locator = connection.getRegionLocator(name)) {
      return locator.getRegionLocation(row, true).getServerName();
    }
  }

  /** Moves the region of a row to another server, where there is another, and waits until it is there. */
  private void moveRegion(Admin admin, TableName name, byte[] row) throws Exception {
    RegionInfo region;
    try (RegionLocator locator = connection.getRegionLocator(name)) {
      region = locator.getRegionLocation(row, true).getRegion();
    }
    ServerName from = serverOf(name, row);
    ServerName to = admin.getRegionServers().stream().filter(s -> !s.equals(from)).findFirst().orElse(from);
    admin.move(region.getEncodedNameAsBytes(), to);
    eventually("the region is on " + to, () -> serverOf(name, row).equals(to));
  }

  private void move() throws Exception {
    onTable("moved", (admin, name, table) -> {
      for (int i = 0; i < 2; i++) {
        moveRegion(admin, name, row(0));
        equal("first", Bytes.toString(table.get(new Get(row(0))).getValue(F, b("q"))), "a row of the moved region");
        allThere(table);
      }
      admin.move(last(admin, name).getEncodedNameAsBytes()); // to a server of the master's choice
      allThere(table);
    });
  }

  private void scanAcross() throws Exception {
    onTable("scanned", (admin, name, table) -> {
      int i = 0;
      try (ResultScanner scanner = table.getScanner(new Scan().setCaching(20))) {
        for (Result r : scanner) {
          equal(Bytes.toString(row(i)), Bytes.toString(r.getRow()), "row " + i);
          if (i == 50) {
            moveRegion(admin, name, row(0));
          }
          if (i == 100) {
            admin.splitRegionAsync(admin.getRegions(name).get(0).getRegionName(), b("200")).get(30, TimeUnit.SECONDS);
          }
          if (i == 310) {
            moveRegion(admin, name, row(400));
          }
          i++;
        }
      }
      equal(ROWS, i, "rows");
    });
  }

  private void writeAcross() throws Exception {
    onTable("written", (admin, name, table) -> {
      AtomicBoolean stop = new AtomicBoolean();
      List<Throwable> errors = new ArrayList<>();
      int[] written = {0};
      Thread writer = new Thread(() -> {
        try (Table own = connection.getTable(name)) {
          while (!stop.get()) {
            int i = written[0] % ROWS;
            own.put(put(i, "value " + written[0]));
            equal("value " + written[0], Bytes.toString(own.get(new Get(row(i))).getValue(F, b("q"))), "read back");
            written[0]++;
          }
        } catch (Throwable e) {
          errors.add(e);
        }
      });
      writer.start();
      for (int i = 0; i < 3; i++) {
        moveRegion(admin, name, row(0));
        moveRegion(admin, name, row(599));
      }
      stop.set(true);
      writer.join();
      if (!errors.isEmpty()) {
        throw new AssertionError("a put or get failed while regions moved", errors.get(0));
      }
      check(written[0] > 0, "something was written");
      allThere(table);
    });
  }

  private void balancer() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      boolean before = admin.balancerSwitch(false, true);
      check(!admin.isBalancerEnabled(), "it is off");
      check(!admin.balancerSwitch(true, true), "it was off");
      check(admin.isBalancerEnabled(), "it is on");
      admin.balance();
      admin.balancerSwitch(before, true);
    }
  }
}
