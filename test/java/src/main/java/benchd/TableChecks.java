package benchd;

import static benchd.Checks.check;
import static benchd.Checks.equal;
import static benchd.Checks.eventually;
import static benchd.Checks.fails;
import static benchd.ClientTest.F;
import static benchd.ClientTest.NAMESPACE;
import static benchd.ClientTest.TABLE;
import static benchd.ClientTest.b;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotDisabledException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/** The cluster, namespaces and tables, as an administrator uses them. */
final class TableChecks {
  private final Connection connection;

  TableChecks(Connection connection) {
    this.connection = connection;
  }

  void register(Checks checks) {
    checks.add("cluster: version, master, servers", this::cluster);
    checks.add("namespaces: create, list, describe, delete", this::namespaces);
    checks.add("tables: create with splits, list, describe, delete", this::tables);
    checks.add("tables: pre-split by a number of regions", this::splitByNumber);
    checks.add("tables: disable, enable", this::disable);
    checks.add("tables: truncate with and without splits", this::truncate);
    checks.add("tables: time to live of a family", this::timeToLive);
  }

  private void cluster() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      ClusterMetrics m = admin.getClusterMetrics();
      check(m.getHBaseVersion() != null && !m.getHBaseVersion().isEmpty(), "the version is reported");
      check(m.getMasterName() != null, "the master is reported");
      check(!m.getLiveServerMetrics().isEmpty(), "there are live servers");
      equal(admin.getRegionServers().size(), m.getLiveServerMetrics().size(), "servers, asked for in two ways");
      check(m.getRegionCount() >= 4, "regions are counted");
    }
  }

  private void namespaces() throws Exception {
    String name = NAMESPACE + "_2";
    try (Admin admin = connection.getAdmin()) {
      if (Arrays.asList(admin.listNamespaces()).contains(name)) {
        admin.deleteNamespace(name); // an earlier run was cut short
      }
      admin.createNamespace(NamespaceDescriptor.create(name).addConfiguration("made", "by a test").build());
      check(Arrays.asList(admin.listNamespaces()).contains(name), "it is listed");
      equal("by a test", admin.getNamespaceDescriptor(name).getConfigurationValue("made"), "its configuration");
      admin.deleteNamespace(name);
      check(!Arrays.asList(admin.listNamespaces()).contains(name), "it is gone");
    }
  }

  private static TableName name(String suffix) {
    return TableName.valueOf(NAMESPACE, suffix);
  }

  private static TableDescriptor plain(TableName t) {
    return TableDescriptorBuilder.newBuilder(t).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build();
  }

  private void tables() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      TableName t = name("described");
      check(!admin.tableExists(t), "not there yet");
      ColumnFamilyDescriptor f = ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(2).setTimeToLive(86_400)
          .setBlocksize(16 << 10).setInMemory(true).setBloomFilterType(BloomType.ROWCOL).build();
      admin.createTable(TableDescriptorBuilder.newBuilder(t).setColumnFamily(f).setValue("k", "v").build(),
          new byte[][] {b("m")});
      check(admin.tableExists(t) && admin.isTableEnabled(t) && admin.isTableAvailable(t), "it exists and serves");
      check(Arrays.asList(admin.listTableNamesByNamespace(NAMESPACE)).containsAll(List.of(t, TABLE)), "it is listed");
      TableDescriptor got = admin.getDescriptor(t);
      ColumnFamilyDescriptor family = got.getColumnFamily(F);
      equal(2, family.getMaxVersions(), "versions");
      equal(86_400, family.getTimeToLive(), "time to live");
      equal(16 << 10, family.getBlocksize(), "block size");
      equal(true, family.isInMemory(), "in memory");
      equal(BloomType.ROWCOL, family.getBloomFilterType(), "bloom filter");
      equal("v", got.getValue("k"), "a value of the table");
      List<RegionInfo> regions = admin.getRegions(t);
      equal(2, regions.size(), "regions");
      equal("m", Bytes.toString(regions.get(0).getEndKey()), "where the first ends");
      fails(TableExistsException.class, () -> admin.createTable(plain(t)));
      fails(TableNotDisabledException.class, () -> admin.deleteTable(t));
      ClientTest.dropTable(admin, t);
      check(!admin.tableExists(t), "it is gone");
      fails(TableNotFoundException.class, () -> admin.getDescriptor(t));
      fails(TableNotFoundException.class, () -> admin.disableTable(t));
      equal(0, admin.getRegions(t).size(), "regions left");
    }
  }

  private void splitByNumber() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      TableName t = name("numbered");
      admin.createTable(plain(t), b("user1"), b("user9"), 21);
      List<RegionInfo> regions = admin.getRegions(t);
      equal(21, regions.size(), "regions");
      check(Bytes.startsWith(regions.get(1).getStartKey(), b("user1")), "the second begins at user1");
      check(Bytes.startsWith(regions.get(20).getStartKey(), b("user9")), "the last begins at user9");
      ClientTest.dropTable(admin, t);
    }
  }

  private void disable() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      TableName name = name("disabled");
      admin.createTable(plain(name), new byte[][] {b("m")});
      try (Table t = connection.getTable(name)) {
        t.put(List.of(new Put(b("a")).addColumn(F, b("q"), b("1")), new Put(b("z")).addColumn(F, b("q"), b("2"))));
        admin.disableTable(name);
        check(admin.isTableDisabled(name) && !admin.isTableEnabled(name), "it is disabled");
        fails(TableNotEnabledException.class, () -> t.get(new Get(b("a"))));
        fails(TableNotEnabledException.class, () -> t.put(new Put(b("b")).addColumn(F, b("q"), b("3"))));
        fails(TableNotEnabledException.class, () -> admin.disableTable(name));
        admin.enableTable(name);
        check(admin.isTableEnabled(name) && admin.isTableAvailable(name), "it is enabled");
        equal("2", Bytes.toString(t.get(new Get(b("z"))).value()), "its rows are still there");
      }
      ClientTest.dropTable(admin, name);
    }
  }

  private void truncate() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      for (boolean keep : new boolean[] {true, false}) {
        TableName name = name("truncated");
        admin.createTable(plain(name), new byte[][] {b("g"), b("m")});
        try (Table t = connection.getTable(name)) {
          t.put(List.of(new Put(b("a")).addColumn(F, b("q"), b("1")), new Put(b("z")).addColumn(F, b("q"), b("2"))));
          equal(2, count(t), "rows");
          admin.disableTable(name);
          admin.truncateTable(name, keep);
          check(admin.isTableEnabled(name), "it serves again");
          equal(keep ? List.of("", "g", "m") : List.of(""), admin.getRegions(name).stream()
              .map(r -> Bytes.toString(r.getStartKey())).collect(Collectors.toList()), "its regions");
          equal(0, count(t), "rows afterwards");
          t.put(new Put(b("z")).addColumn(F, b("q"), b("3")));
          equal(1, count(t), "rows written since");
        }
        ClientTest.dropTable(admin, name);
      }
    }
  }

  static int count(Table t) throws Exception {
    int n = 0;
    try (ResultScanner scanner = t.getScanner(new Scan().setCaching(1000))) {
      for (Result r : scanner) {
        n += r.isEmpty() ? 0 : 1;
      }
    }
    return n;
  }

  private void timeToLive() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      TableName name = name("short_lived");
      admin.createTable(TableDescriptorBuilder.newBuilder(name)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setTimeToLive(1).build()).build());
      try (Table t = connection.getTable(name)) {
        t.put(new Put(b("a")).addColumn(F, b("q"), b("1")));
        eventually("the row has gone", () -> t.get(new Get(b("a"))).isEmpty() && count(t) == 0);
        t.put(new Put(b("b")).addColumn(F, b("q"), System.currentTimeMillis() + 60_000, b("1")));
        equal(1, count(t), "rows of a later time");
      }
      ClientTest.dropTable(admin, name);
    }
  }
}
