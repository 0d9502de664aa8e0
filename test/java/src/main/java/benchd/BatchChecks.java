package benchd;

import static benchd.Checks.check;
import static benchd.Checks.equal;
import static benchd.ClientTest.F;
import static benchd.ClientTest.TABLE;
import static benchd.ClientTest.b;
import static benchd.ClientTest.rows;
import static benchd.ClientTest.table;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.BufferedMutatorParams;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Calls that reach several regions at once. */
final class BatchChecks {
  private final Connection connection;

  BatchChecks(Connection connection) {
    this.connection = connection;
  }

  void register(Checks checks) {
    checks.add("multi-put, multi-get, multi-exists, multi-delete over four regions", this::lists);
    checks.add("batch: put, get, delete, increment, append, row mutations mixed", this::mixed);
    checks.add("batch: one action fails, the others do not", this::partial);
    checks.add("buffered mutator: 2000 puts and 100 deletes", this::buffered);
  }

  private void lists() throws Exception {
    try (Table t = table(connection)) {
      List<byte[]> rows = rows("lists", 100);
      List<Put> puts = new ArrayList<>();
      List<Get> gets = new ArrayList<>();
      List<Delete> deletes = new ArrayList<>();
      for (int i = 0; i < rows.size(); i++) {
        if (i % 3 != 0) {
          puts.add(new Put(rows.get(i)).addColumn(F, b("q"), Bytes.toBytes(i)));
        }
        gets.add(new Get(rows.get(i)));
        deletes.add(new Delete(rows.get(i)));
      }
      t.put(puts);
      Result[] results = t.get(gets);
      boolean[] exist = t.exists(gets);
      for (int i = 0; i < rows.size(); i++) {
        equal(i % 3 == 0, results[i].isEmpty(), "emptiness of result " + i);
        equal(i % 3 != 0, exist[i], "existence of row " + i);
        check(i % 3 == 0 || Bytes.toInt(results[i].value()) == i, "results come in the order of the gets, at " + i);
      }
      t.delete(deletes);
      for (Result r : t.get(gets)) {
        check(r.isEmpty(), "deleted");
      }
    }
  }

  private void mixed() throws Exception {
    try (Table t = table(connection)) {
      List<byte[]> rows = rows("mixed", 6);
      t.put(new Put(rows.get(1)).addColumn(F, b("q"), b("get me")));
      t.put(new Put(rows.get(2)).addColumn(F, b("q"), b("delete me")));
      List<Row> actions = List.of(
          new Put(rows.get(0)).addColumn(F, b("q"), b("put")),
          new Get(rows.get(1)),
          new Delete(rows.get(2)),
          new Increment(rows.get(3)).addColumn(F, b("n"), 4),
          new Append(rows.get(4)).addColumn(F, b("q"), b("appended")),
          RowMutations.of(List.of(new Put(rows.get(5)).addColumn(F, b("q"), b("mutated")))));
      Object[] results = new Object[actions.size()];
      t.batch(actions, results);
      equal("get me", Bytes.toString(((Result) results[1]).value()), "the get's result");
      equal(4L, Bytes.toLong(((Result) results[3]).value()), "the increment's result");
      equal("appended", Bytes.toString(((Result) results[4]).value()), "the append's result");
      equal("put", Bytes.toString(t.get(new Get(rows.get(0))).value()), "what was put");
      check(t.get(new Get(rows.get(2))).isEmpty(), "what was deleted");
      equal("mutated", Bytes.toString(t.get(new Get(rows.get(5))).value()), "what was mutated");
    }
  }

  private void partial() throws Exception {
    try (Table t = table(connection)) {
      List<byte[]> rows = rows("partial", 8);
      List<Row> actions = new ArrayList<>();
      for (int i = 0; i < rows.size(); i++) {
        actions.add(new Put(rows.get(i)).addColumn(i == 5 ? b("none") : F, b("q"), b("v")));
      }
      Object[] results = new Object[actions.size()];
      try {
        t.batch(actions, results);
        throw new AssertionError("a put to a missing family must fail");
      } catch (RetriesExhaustedWithDetailsException e) {
        equal(1, e.getNumExceptions(), "actions that failed");
        check(Bytes.equals(rows.get(5), e.getRow(0).getRow()), "the failed one is named");
      }
      for (int i = 0; i < rows.size(); i++) {
        equal(i != 5, t.exists(new Get(rows.get(i))), "row " + i + " exists");
      }
    }
  }

  private void buffered() throws Exception {
    List<byte[]> rows = rows("buffered", 2000);
    AtomicInteger failures = new AtomicInteger();
    BufferedMutatorParams params = new BufferedMutatorParams(TABLE).writeBufferSize(64 << 10)
        .listener((e, mutator) -> failures.addAndGet(e.getNumExceptions()));
    try (BufferedMutator m = connection.getBufferedMutator(params)) {
      for (byte[] row : rows) {
        m.mutate(new Put(row).addColumn(F, b("q"), 1, new byte[200]));
      }
      m.flush();
      for (int i = 0; i < 100; i++) {
        m.mutate(new Delete(rows.get(i)));
      }
    }
    equal(0, failures.get(), "failures");
    List<Get> gets = new ArrayList<>();
    rows.forEach(r -> gets.add(new Get(r)));
    try (Table t = table(connection)) {
      boolean[] exist = t.exists(gets);
      for (int i = 0; i < exist.length; i++) {
        equal(i >= 100, exist[i], "row " + i + " exists");
      }
    }
  }
}
