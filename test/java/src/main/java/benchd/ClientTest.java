package benchd;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Checks a server's answers with HBase's official client. The same program runs against a real HBase and against
 * benchd's sandbox, and both must pass all checks:
 *
 * <pre>
 *   make java-client-test QUORUM=127.0.0.1:2181         all checks; exit code 0 when all passed
 *   test/java/run ClientTest 127.0.0.1:2181 --only scan    those whose names contain a text
 *   test/java/run ClientTest --list                        their names
 * </pre>
 *
 * <ol>
 *   <li>Leftovers of an earlier run are dropped; a namespace with one table of four regions is created.
 *   <li>The checks run one after another, each at most a minute. Point, batch and scan checks share the table and
 *       have their own rows; admin checks create their own tables.
 *   <li>A line is printed for each, then "N checks passed".
 * </ol>
 */
public final class ClientTest {
  static final String NAMESPACE = "benchd_client_test";
  static final TableName TABLE = TableName.valueOf(NAMESPACE, "shared");
  static final byte[] F = Bytes.toBytes("f");
  static final byte[] G = Bytes.toBytes("g");
  /** Region boundaries of the shared table. */
  static final byte[][] SPLITS = {Bytes.toBytes("h"), Bytes.toBytes("p"), Bytes.toBytes("t")};

  private ClientTest() {}

  /** Runs the checks; see the class comment. */
  public static void main(String[] args) throws Exception {
    String quorum = null;
    String only = "";
    boolean list = false;
    for (int i = 0; i < args.length; i++) {
      if (args[i].equals("--only") && i + 1 < args.length) {
        only = args[++i];
      } else if (args[i].equals("--list")) {
        list = true;
      } else if (quorum == null && !args[i].startsWith("-")) {
        quorum = args[i];
      } else {
        System.err.println("ClientTest takes HOST:PORT of ZooKeeper, --only TEXT and --list, not " + args[i]);
        System.exit(2);
      }
    }
    Checks checks = new Checks();
    if (list) {
      register(checks, null);
      checks.names().forEach(System.out::println);
      return;
    }
    if (quorum == null) {
      System.err.println("ClientTest needs HOST:PORT of ZooKeeper");
      System.exit(2);
    }
    // The client prints stack traces of errors that it then retries.
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    int failed;
    try (Connection connection = ConnectionFactory.createConnection(configuration(quorum));
        Admin admin = connection.getAdmin()) {
      drop(admin);
      create(admin);
      register(checks, connection);
      failed = checks.run(only);
      drop(admin);
    } catch (Exception e) {
      System.out.println("FAIL the shared table could not be made or dropped");
      Checks.print(e);
      failed = 1;
    }
    System.exit(failed == 0 ? 0 : 1);
  }

  private static void register(Checks checks, Connection connection) {
    new PointChecks(connection).register(checks);
    new AtomicChecks(connection).register(checks);
    new BatchChecks(connection).register(checks);
    new ScanChecks(connection).register(checks);
    new FilterChecks(connection).register(checks);
    new AsyncChecks(connection).register(checks);
    new TableChecks(connection).register(checks);
    new RegionChecks(connection).register(checks);
  }

  /** A client whose retries end within the limit of a check. */
  static Configuration configuration(String quorum) {
    int colon = quorum.lastIndexOf(':');
    Configuration c = HBaseConfiguration.create();
    c.set("hbase.zookeeper.quorum", colon < 0 ? quorum : quorum.substring(0, colon));
    c.set("hbase.zookeeper.property.clientPort", colon < 0 ? "2181" : quorum.substring(colon + 1));
    c.setInt("hbase.client.pause", 50);
    c.setInt("hbase.client.retries.number", 12);
    c.setInt("hbase.client.operation.timeout", 40_000);
    c.setInt("hbase.client.meta.operation.timeout", 40_000);
    c.setInt("hbase.rpc.timeout", 20_000);
    c.setInt("zookeeper.recovery.retry", 2);
    return c;
  }

  private static void create(Admin admin) throws Exception {
    admin.createNamespace(NamespaceDescriptor.create(NAMESPACE).build());
    admin.createTable(
        TableDescriptorBuilder.newBuilder(TABLE)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build())
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(G).setMaxVersions(1).build())
            .build(),
        SPLITS);
  }

  private static void drop(Admin admin) throws Exception {
    boolean exists =
        Arrays.stream(admin.listNamespaceDescriptors()).anyMatch(n -> n.getName().equals(NAMESPACE));
    if (!exists) {
      return;
    }
    for (TableName t : admin.listTableNamesByNamespace(NAMESPACE)) {
      dropTable(admin, t);
    }
    admin.deleteNamespace(NAMESPACE);
  }

  static void dropTable(Admin admin, TableName t) throws Exception {
    if (admin.isTableEnabled(t)) {
      admin.disableTable(t);
    }
    admin.deleteTable(t);
  }

  static byte[] b(String s) {
    return Bytes.toBytes(s);
  }

  /** Row names of a check, spread over all four regions of the shared table: a-PREFIX-000, i-PREFIX-001 … */
  static List<byte[]> rows(String prefix, int n) {
    String[] regions = {"a", "i", "q", "u"};
    List<byte[]> rows = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      rows.add(b(String.format("%s-%s-%03d", regions[i % regions.length], prefix, i)));
    }
    return rows;
  }

  static Table table(Connection connection) throws Exception {
    return connection.getTable(TABLE);
  }
}
