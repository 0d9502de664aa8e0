package benchd;

import static benchd.Checks.check;
import static benchd.Checks.equal;
import static benchd.Checks.eventually;
import static benchd.Checks.fails;
import static benchd.ClientTest.F;
import static benchd.ClientTest.G;
import static benchd.ClientTest.b;
import static benchd.ClientTest.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.util.Bytes;

/** Put, get and delete of single rows: columns, versions, timestamps, time to live. */
final class PointChecks {
  private final Connection connection;

  PointChecks(Connection connection) {
    this.connection = connection;
  }

  void register(Checks checks) {
    checks.add("put and get: columns of two families", this::columns);
    checks.add("get: a missing row", this::missing);
    checks.add("get: order of cells, kinds of keys and values", this::bytes);
    checks.add("get: a value of one megabyte", this::large);
    checks.add("put: each durability", this::durability);
    checks.add("versions: newest first, at most as many as the family keeps", this::versions);
    checks.add("versions: by time and by time range", this::times);
    checks.add("delete: column, all its versions, family, row", this::delete);
    checks.add("delete: one version, and older than a time", this::deleteVersions);
    checks.add("time to live: of a cell", this::timeToLive);
    checks.add("errors: no such family, no such table", this::errors);
  }

  private void columns() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-columns");
      t.put(new Put(row).addColumn(F, b("q1"), b("v1")).addColumn(F, b("q2"), b("v2")).addColumn(G, b("q1"), b("w1")));
      Result all = t.get(new Get(row));
      equal(3, all.size(), "cells of the row");
      equal("v1", Bytes.toString(all.getValue(F, b("q1"))), "f:q1");
      equal("w1", Bytes.toString(all.getValue(G, b("q1"))), "g:q1");
      equal(2, t.get(new Get(row).addFamily(F)).size(), "cells of one family");
      Result one = t.get(new Get(row).addColumn(F, b("q2")).addColumn(G, b("none")));
      equal(1, one.size(), "cells of the named columns");
      equal("v2", Bytes.toString(one.value()), "f:q2");
      check(t.exists(new Get(row)), "the row exists");
      check(!t.exists(new Get(row).addColumn(F, b("none"))), "no such column exists");
      t.put(new Put(row).addColumn(F, b("q1"), b("v1 again")));
      equal("v1 again", Bytes.toString(t.get(new Get(row)).getValue(F, b("q1"))), "overwritten f:q1");
    }
  }

  private void missing() throws Exception {
    try (Table t = table(connection)) {
      check(t.get(new Get(b("a-missing"))).isEmpty(), "an empty result");
      check(!t.exists(new Get(b("a-missing"))), "it does not exist");
    }
  }

  private void bytes() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = {'a', 0, 1, (byte) 0xff, 0};
      byte[][] names = {{}, {0}, {0, 0}, {1}, {'z'}, {(byte) 0x80}, {(byte) 0xff, 0}};
      Put put = new Put(row);
      for (int i = names.length - 1; i >= 0; i--) {
        put.addColumn(F, names[i], i == 2 ? new byte[0] : names[i]);
      }
      t.put(put);
      List<Cell> cells = t.get(new Get(row)).listCells();
      equal(names.length, cells.size(), "cells");
      for (int i = 0; i < names.length; i++) {
        check(Arrays.equals(names[i], CellUtil.cloneQualifier(cells.get(i))), "qualifiers in unsigned order, at " + i);
      }
      equal(0, cells.get(2).getValueLength(), "length of an empty value");
      check(Arrays.equals(row, CellUtil.cloneRow(cells.get(0))), "the row's name");
      check(t.get(new Get(Arrays.copyOf(row, 4))).isEmpty(), "a name that differs by a last zero byte is another row");
    }
  }

  private void large() throws Exception {
    try (Table t = table(connection)) {
      byte[] value = new byte[1 << 20];
      new Random(1).nextBytes(value);
      t.put(new Put(b("i-large")).addColumn(F, b("q"), value));
      check(Arrays.equals(value, t.get(new Get(b("i-large"))).value()), "the value read is the one written");
    }
  }

  private void durability() throws Exception {
    try (Table t = table(connection)) {
      for (Durability d : Durability.values()) {
        byte[] row = b("a-durability-" + d);
        t.put(new Put(row).addColumn(F, b("q"), b(d.name())).setDurability(d));
        equal(d.name(), Bytes.toString(t.get(new Get(row)).value()), "value written with " + d);
      }
    }
  }

  private void versions() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-versions");
      for (int i = 1; i <= 5; i++) {
        t.put(new Put(row).addColumn(F, b("q"), 100L * i, b("v" + i)).addColumn(G, b("q"), 100L * i, b("w" + i)));
      }
      equal("[v5]", values(t.get(new Get(row).addFamily(F))), "one version unless asked");
      equal("[v5, v4]", values(t.get(new Get(row).addFamily(F).readVersions(2))), "two versions");
      equal("[v5, v4, v3]", values(t.get(new Get(row).addFamily(F).readAllVersions())), "all that f keeps");
      equal("[w5]", values(t.get(new Get(row).addFamily(G).readAllVersions())), "all that g keeps");
      equal(500L, t.get(new Get(row)).getColumnLatestCell(F, b("q")).getTimestamp(), "the time as it was given");
    }
  }

  private void times() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-times");
      for (int i = 1; i <= 3; i++) {
        t.put(new Put(row).addColumn(F, b("q"), 100L * i, b("v" + i)));
      }
      equal("[v2]", values(t.get(new Get(row).setTimestamp(200))), "the version of a time");
      equal("[v2, v1]", values(t.get(new Get(row).setTimeRange(100, 300).readAllVersions())), "the end is exclusive");
      equal("[]", values(t.get(new Get(row).setTimeRange(301, 1000))), "a range without versions");
      long before = System.currentTimeMillis();
      t.put(new Put(row).addColumn(F, b("now"), b("x")));
      long at = t.get(new Get(row).addColumn(F, b("now"))).rawCells()[0].getTimestamp();
      check(at >= before - 60_000 && at <= before + 60_000, "without a time the server gives its own, got " + at);
    }
  }

  private void delete() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-delete");
      Put put = new Put(row);
      for (String q : new String[] {"a", "b", "c"}) {
        put.addColumn(F, b(q), 100, b("1")).addColumn(G, b(q), 100, b("1"));
      }
      t.put(put);
      t.put(new Put(row).addColumn(F, b("a"), 200, b("2")).addColumn(F, b("b"), 200, b("2")));
      t.delete(new Delete(row).addColumn(F, b("a")));
      equal("1", Bytes.toString(t.get(new Get(row)).getValue(F, b("a"))), "only the newest version is gone");
      t.delete(new Delete(row).addColumns(F, b("b")));
      check(!t.get(new Get(row).readAllVersions()).containsColumn(F, b("b")), "all versions are gone");
      t.delete(new Delete(row).addFamily(G));
      equal(0, t.get(new Get(row).addFamily(G)).size(), "cells of a deleted family");
      equal(2, t.get(new Get(row)).size(), "cells of the other family");
      t.delete(new Delete(row));
      check(t.get(new Get(row)).isEmpty(), "the row is gone");
      t.delete(new Delete(row)); // deleting twice is not an error
      // A delete hides values of the same millisecond, so the new value is written in a later one.
      long deleted = System.currentTimeMillis();
      eventually("a later millisecond", () -> System.currentTimeMillis() > deleted + 1);
      t.put(new Put(row).addColumn(F, b("a"), b("new")));
      equal("[new]", values(t.get(new Get(row))), "written after the delete");
    }
  }

  private void deleteVersions() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-delete-versions");
      for (int i = 1; i <= 3; i++) {
        t.put(new Put(row).addColumn(F, b("q"), 100L * i, b("v" + i)));
      }
      t.delete(new Delete(row).addColumn(F, b("q"), 200));
      equal("[v3, v1]", values(t.get(new Get(row).readAllVersions())), "without the one version");
      t.delete(new Delete(row).addColumns(F, b("q"), 250));
      equal("[v3]", values(t.get(new Get(row).readAllVersions())), "without those up to 250");
      t.delete(new Delete(row, 299));
      equal("[v3]", values(t.get(new Get(row).readAllVersions())), "the row up to 299 deleted");
    }
  }

  private void timeToLive() throws Exception {
    try (Table t = table(connection)) {
      byte[] row = b("a-ttl");
      t.put(new Put(row).addColumn(F, b("keep"), b("x")));
      Put put = new Put(row).addColumn(F, b("go"), b("x"));
      put.setTTL(700);
      t.put(put);
      equal(2, t.get(new Get(row)).size(), "cells before the time is over");
      eventually("the cell has gone", () -> t.get(new Get(row)).size() == 1);
      check(t.get(new Get(row)).containsColumn(F, b("keep")), "the cell without a limit stays");
    }
  }

  private void errors() throws Exception {
    try (Table t = table(connection)) {
      fails(NoSuchColumnFamilyException.class, () -> t.put(new Put(b("a")).addColumn(b("none"), b("q"), b("v"))));
      fails(NoSuchColumnFamilyException.class, () -> t.get(new Get(b("a")).addFamily(b("none"))));
    }
    try (Table t = connection.getTable(TableName.valueOf(ClientTest.NAMESPACE, "none"))) {
      fails(TableNotFoundException.class, () -> t.get(new Get(b("a"))));
    }
  }

  private static String values(Result r) {
    List<String> out = new ArrayList<>();
    for (Cell c : r.rawCells()) {
      out.add(Bytes.toString(CellUtil.cloneValue(c)));
    }
    return out.toString();
  }
}
