package benchd;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Reads rows of a table at random, as YCSB's workload C does, for comparisons of CPU time. Threads share one connection.
 *
 * <p>Arguments: the folder of the client's configuration, table, family, rows, threads, reads, and settings NAME=VALUE that replace
 * those of the folder.
 */
final class Reads {
  private Reads() {}

  public static void main(String[] args) throws Exception {
    TableName table = TableName.valueOf(args[1]);
    byte[] family = Bytes.toBytes(args[2]);
    long rows = Long.parseLong(args[3]);
    int threads = Integer.parseInt(args[4]);
    long reads = Long.parseLong(args[5]);
    Configuration conf = configuration(new File(args[0]), List.of(args).subList(6, args.length));
    login(conf);
    long cells = 0;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      List<Future<Long>> parts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        long share = reads / threads + (i < reads % threads ? 1 : 0);
        Callable<Long> part = () -> read(connection, table, family, rows, share);
        parts.add(pool.submit(part));
      }
      for (Future<Long> part : parts) {
        cells += part.get();
      }
    } finally {
      pool.shutdownNow();
    }
    System.out.println("reads=" + reads + " cells=" + cells);
  }

  private static Configuration configuration(File folder, List<String> settings) {
    Configuration conf = HBaseConfiguration.create();
    for (String name : List.of("core-site.xml", "hbase-site.xml")) {
      File file = new File(folder, name);
      if (file.exists()) {
        conf.addResource(new Path(file.toURI()));
      }
    }
    for (String setting : settings) {
      int at = setting.indexOf('=');
      conf.set(setting.substring(0, at), setting.substring(at + 1));
    }
    return conf;
  }

  private static void login(Configuration conf) throws Exception {
    UserGroupInformation.setConfiguration(conf);
    if (UserGroupInformation.isSecurityEnabled()) {
      UserGroupInformation.loginUserFromKeytab(conf.get("hbase.client.keytab.principal"), conf.get("hbase.client.keytab.file"));
    }
  }

  /** Reads rows and returns how many cells they have. A missing row is an error. */
  private static long read(Connection connection, TableName name, byte[] family, long rows, long reads) throws Exception {
    long cells = 0;
    try (Table table = connection.getTable(name)) {
      for (long i = 0; i < reads; i++) {
        String key = Ycsb.key(ThreadLocalRandom.current().nextLong(rows));
        Get get = new Get(Bytes.toBytes(key));
        get.addFamily(family);
        Result row = table.get(get);
        if (row.isEmpty()) {
          throw new IllegalStateException("the table has no row " + key);
        }
        cells += row.size();
      }
    }
    return cells;
  }
}
