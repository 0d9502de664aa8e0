package benchd;

import static benchd.Checks.check;
import static benchd.Checks.equal;
import static benchd.ClientTest.F;
import static benchd.ClientTest.TABLE;
import static benchd.ClientTest.b;
import static benchd.ClientTest.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/** The asynchronous client, which has its own code for lookups, batches and scans. */
final class AsyncChecks {
  private final Connection connection;

  AsyncChecks(Connection connection) {
    this.connection = connection;
  }

  void register(Checks checks) {
    checks.add("asynchronous client: put, get, batch, scan, locations", this::all);
  }

  private void all() throws Exception {
    try (AsyncConnection async = ConnectionFactory.createAsyncConnection(connection.getConfiguration())
        .get(20, TimeUnit.SECONDS)) {
      ExecutorService executor = Executors.newFixedThreadPool(2);
      try {
        AsyncTable<?> t = async.getTable(TABLE, executor);
        List<byte[]> rows = rows("async", 200);
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
          puts.add(t.put(new Put(rows.get(i)).addColumn(F, b("q"), Bytes.toBytes(i))));
        }
        CompletableFuture.allOf(puts.toArray(new CompletableFuture<?>[0])).get(20, TimeUnit.SECONDS);
        equal(7, Bytes.toInt(t.get(new Get(rows.get(7))).get(20, TimeUnit.SECONDS).value()), "row 7");
        List<Get> gets = new ArrayList<>();
        rows.forEach(r -> gets.add(new Get(r)));
        List<Result> results = t.getAll(gets).get(20, TimeUnit.SECONDS);
        for (int i = 0; i < rows.size(); i++) {
          equal(i, Bytes.toInt(results.get(i).value()), "row " + i);
        }
        int found = 0;
        for (Result r : t.scanAll(new Scan().setCaching(30)).get(20, TimeUnit.SECONDS)) {
          if (Bytes.toString(r.getRow()).contains("-async-")) {
            found++;
          }
        }
        equal(rows.size(), found, "rows scanned");
        check(async.getRegionLocator(TABLE).getAllRegionLocations().get(20, TimeUnit.SECONDS).size() >= 4, "locations");
      } finally {
        executor.shutdownNow();
      }
    }
  }
}
