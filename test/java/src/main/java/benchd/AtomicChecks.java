package benchd;

import static benchd.Checks.check;
import static benchd.Checks.equal;
import static benchd.Checks.fails;
import static benchd.ClientTest.F;
import static benchd.ClientTest.G;
import static benchd.ClientTest.b;
import static benchd.ClientTest.rows;
import static benchd.ClientTest.table;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Increment, append, check-and-mutate and row mutations: one row, all or nothing. */
final class AtomicChecks {
  private static final int THREADS = 4;
  private static final int EACH = 50;

  private final Connection connection;

  AtomicChecks(Connection connection) {
    this.connection = connection;
  }

  void register(Checks checks) {
    checks.add("increment: one column, several, of nothing, by a negative", this::increment);
    checks.add("increment: of a value that is not a number", this::incrementText);
    checks.add("increment: from four threads, the sum is exact", this::incrementConcurrently);
    checks.add("append: to nothing and to something", this::append);
    checks.add("append: from four threads, nothing is lost", this::appendConcurrently);
    checks.add("check and mutate: put if equal, if absent, by comparison", this::checkAndPut);
    checks.add("check and mutate: delete, row mutations, increment, append", this::checkAndOthers);
    checks.add("check and mutate: by filter, and several at once", this::checkByFilter);
    checks.add("row mutations: put and delete at once", this::rowMutations);
  }

  private void increment() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-increment");
      equal(5L, t.incrementColumnValue(row, F, b("n"), 5), "from nothing");
      equal(3L, t.incrementColumnValue(row, F, b("n"), -2), "by -2");
      Result r = t.increment(new Increment(row).addColumn(F, b("n"), 10).addColumn(G, b("m"), 1));
      equal(13L, Bytes.toLong(r.getValue(F, b("n"))), "f:n as returned");
      equal(1L, Bytes.toLong(r.getValue(G, b("m"))), "g:m as returned");
      equal(13L, Bytes.toLong(t.get(new Get(row)).getValue(F, b("n"))), "f:n as read");
      Result silent = t.increment(new Increment(row).addColumn(F, b("n"), 1).setReturnResults(false));
      check(silent == null || silent.isEmpty(), "no cells if none are requested");
      equal(14L, Bytes.toLong(t.get(new Get(row)).getValue(F, b("n"))), "f:n as read");
    }
  }

  private void incrementText() throws Exception {
    try (Table t = table(connection)) {
      t.put(new Put(b("a-text")).addColumn(F, b("n"), b("text")));
      fails(DoNotRetryIOException.class, () -> t.incrementColumnValue(b("a-text"), F, b("n"), 1));
    }
  }

  private void incrementConcurrently() throws Exception {
    concurrently(t -> t.incrementColumnValue(b("i-sum"), F, b("n"), 3));
    try (Table t = table(connection)) {
      equal(3L * THREADS * EACH, Bytes.toLong(t.get(new Get(b("i-sum"))).value()), "sum");
    }
  }

  private void append() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-append");
      Result r = t.append(new Append(row).addColumn(F, b("q"), b("one")));
      equal("one", Bytes.toString(r.getValue(F, b("q"))), "to nothing");
      r = t.append(new Append(row).addColumn(F, b("q"), b(" two")).addColumn(G, b("q"), b("x")));
      equal("one two", Bytes.toString(r.getValue(F, b("q"))), "to something, as returned");
      equal("one two", Bytes.toString(t.get(new Get(row)).getValue(F, b("q"))), "as read");
    }
  }

  private void appendConcurrently() throws Exception {
    concurrently(t -> t.append(new Append(b("q-length")).addColumn(F, b("q"), b("abc"))));
    try (Table t = table(connection)) {
      equal(3 * THREADS * EACH, t.get(new Get(b("q-length"))).value().length, "length");
    }
  }

  private interface Call {
    void on(Table t) throws Exception;
  }

  private void concurrently(Call call) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> futures = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        futures.add(threads.submit(() -> {
          try (Table t = table(connection)) {
            for (int k = 0; k < EACH; k++) {
              call.on(t);
            }
          }
          return null;
        }));
      }
      for (Future<?> f : futures) {
        f.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void checkAndPut() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-check");
      Put one = new Put(row).addColumn(F, b("q"), b("1"));
      check(mutate(t, CheckAndMutate.newBuilder(row).ifNotExists(F, b("q")).build(one)), "absent: it is put");
      check(!mutate(t, CheckAndMutate.newBuilder(row).ifNotExists(F, b("q")).build(one)), "present: it is not");
      Put two = new Put(row).addColumn(F, b("q"), b("2"));
      check(!mutate(t, CheckAndMutate.newBuilder(row).ifEquals(F, b("q"), b("9")).build(two)), "not equal");
      equal("1", Bytes.toString(t.get(new Get(row)).value()), "unchanged");
      check(mutate(t, CheckAndMutate.newBuilder(row).ifEquals(F, b("q"), b("1")).build(two)), "equal");
      equal("2", Bytes.toString(t.get(new Get(row)).value()), "changed");
      // The given value is the left operand: 3 is greater than the stored value.
      Put three = new Put(row).addColumn(F, b("q"), b("3"));
      check(mutate(t, CheckAndMutate.newBuilder(row).ifMatches(F, b("q"), CompareOperator.GREATER, b("3")).build(three)),
          "3 > 2");
      check(!mutate(t, CheckAndMutate.newBuilder(row).ifMatches(F, b("q"), CompareOperator.LESS, b("3")).build(two)),
          "3 < 3");
      check(mutate(t, CheckAndMutate.newBuilder(row).ifMatches(F, b("q"), CompareOperator.NOT_EQUAL, b("x")).build(two)),
          "x != 3");
    }
  }

  private void checkAndOthers() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-check-others");
      t.put(new Put(row).addColumn(F, b("q"), b("1")).addColumn(F, b("old"), b("x")));
      CheckAndMutate.Builder one = CheckAndMutate.newBuilder(row).ifEquals(F, b("q"), b("1"));
      check(mutate(t, one.build(new Delete(row).addColumns(F, b("old")))), "delete");
      check(!t.exists(new Get(row).addColumn(F, b("old"))), "it is deleted");
      check(mutate(t, one.build(RowMutations.of(List.of(
          new Put(row).addColumn(F, b("new"), b("y")), new Delete(row).addColumns(G, b("q")))))), "row mutations");
      check(t.exists(new Get(row).addColumn(F, b("new"))), "they are done");
      CheckAndMutateResult r = t.checkAndMutate(one.build(new Increment(row).addColumn(F, b("n"), 7)));
      check(r.isSuccess(), "increment");
      equal(7L, Bytes.toLong(r.getResult().getValue(F, b("n"))), "its result");
      r = t.checkAndMutate(one.build(new Append(row).addColumn(F, b("a"), b("z"))));
      check(r.isSuccess(), "append");
      equal("z", Bytes.toString(r.getResult().getValue(F, b("a"))), "its result");
      CheckAndMutate.Builder nine = CheckAndMutate.newBuilder(row).ifEquals(F, b("q"), b("9"));
      check(!mutate(t, nine.build(new Delete(row))), "the condition does not hold");
      check(t.exists(new Get(row)), "so the row stays");
    }
  }

  private void checkByFilter() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-check-filter");
      t.put(new Put(row).addColumn(F, b("a"), b("1")).addColumn(F, b("b"), b("2")));
      Put put = new Put(row).addColumn(F, b("c"), b("3"));
      check(mutate(t, CheckAndMutate.newBuilder(row)
          .ifMatches(new SingleColumnValueFilter(F, b("b"), CompareOperator.EQUAL, b("2"))).build(put)), "it matches");
      check(!mutate(t, CheckAndMutate.newBuilder(row)
          .ifMatches(new SingleColumnValueFilter(F, b("b"), CompareOperator.EQUAL, b("8"))).build(put)), "it does not");
      List<CheckAndMutate> several = new ArrayList<>();
      List<byte[]> rows = rows("check-several", 8);
      for (int i = 0; i < rows.size(); i += 2) {
        t.put(new Put(rows.get(i)).addColumn(F, b("q"), b("here")));
      }
      for (byte[] r : rows) {
        several.add(CheckAndMutate.newBuilder(r).ifEquals(F, b("q"), b("here"))
            .build(new Put(r).addColumn(F, b("q"), b("changed"))));
      }
      List<CheckAndMutateResult> results = t.checkAndMutate(several);
      for (int i = 0; i < rows.size(); i++) {
        equal(i % 2 == 0, results.get(i).isSuccess(), "condition of row " + i);
        equal(i % 2 == 0 ? "changed" : null, Bytes.toString(t.get(new Get(rows.get(i))).value()), "row " + i);
      }
    }
  }

  private void rowMutations() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("u-mutations");
      t.put(new Put(row).addColumn(F, b("old"), b("x")));
      t.mutateRow(RowMutations.of(List.of(
          new Put(row).addColumn(F, b("new"), b("y")).addColumn(G, b("new"), b("z")),
          new Delete(row).addColumns(F, b("old")))));
      Result r = t.get(new Get(row));
      equal(2, r.size(), "cells");
      check(!r.containsColumn(F, b("old")), "the old column is gone");
    }
  }

  private static boolean mutate(Table t, CheckAndMutate c) throws Exception {
    return t.checkAndMutate(c).isSuccess();
  }
}
