package benchd;

import static benchd.Checks.equal;
import static benchd.ClientTest.F;
import static benchd.ClientTest.b;
import static benchd.ClientTest.rows;
import static benchd.ClientTest.table;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Filters: those that YCSB's binding uses, and other common ones. */
final class FilterChecks {
  private static final int ROWS = 40;

  private final Connection connection;
  private boolean written;

  FilterChecks(Connection connection) {
    this.connection = connection;
  }

  void register(Checks checks) {
    checks.add("filter: page, at most so many rows of each region", this::page);
    checks.add("filter: value, by each comparison", this::value);
    checks.add("filter: as YCSB's binding sets them, page and value in a list", this::ycsb);
    checks.add("filter: lists, all and one of them", this::lists);
    checks.add("filter: single column value", this::single);
    checks.add("filter: row by prefix, regular expression, part, last row", this::rowFilters);
    checks.add("filter: qualifier, family, column prefix, range, page of columns", this::columnFilters);
    checks.add("filter: first key only, key only, while match", this::others);
    checks.add("filter: on a get", this::get);
  }

  /** Row i has f:n = i in four digits, f:odd = yes or no, f:same = x. */
  private List<String> keys() throws Exception {
    List<byte[]> names = rows("filter", ROWS);
    if (!written) {
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        puts.add(new Put(names.get(i)).addColumn(F, b("n"), b(String.format("%04d", i)))
            .addColumn(F, b("odd"), b(i % 2 == 1 ? "yes" : "no")).addColumn(F, b("same"), b("x")));
      }
      try (Table t = table(connection)) {
        t.put(puts);
      }
      written = true;
    }
    return names.stream().map(Bytes::toString).collect(Collectors.toList());
  }

  /** The rows with the given numbers, in the order of their names. */
  private List<String> numbered(IntStream numbers) throws Exception {
    List<String> keys = keys();
    return numbers.mapToObj(keys::get).sorted().collect(Collectors.toList());
  }

  private List<Result> scan(Filter filter) throws Exception {
    keys();
    List<Result> out = new ArrayList<>();
    try (Table t = table(connection)) {
      for (String region : new String[] {"a", "i", "q", "u"}) {
        Scan s = new Scan().withStartRow(b(region + "-filter-")).withStopRow(b(region + "-filter-~")).setFilter(filter);
        try (ResultScanner scanner = t.getScanner(s)) {
          scanner.forEach(out::add);
        }
      }
    }
    return out;
  }

  private List<String> names(Filter filter) throws Exception {
    List<String> out = new ArrayList<>();
    for (Result r : scan(filter)) {
      out.add(Bytes.toString(r.getRow()));
    }
    return out;
  }

  private int cells(Filter filter) throws Exception {
    return scan(filter).stream().mapToInt(Result::size).sum();
  }

  private void page() throws Exception {
    List<String> want = new ArrayList<>();
    for (int first = 0; first < 4; first++) {
      want.addAll(numbered(IntStream.of(first, first + 4, first + 8)));
    }
    equal(want, names(new PageFilter(3)), "three rows of each region");
  }

  private void value() throws Exception {
    BinaryComparator ten = new BinaryComparator(b("0010"));
    equal(1, cells(new ValueFilter(CompareOperator.EQUAL, ten)), "cells equal to 0010");
    equal(3 * ROWS - 1, cells(new ValueFilter(CompareOperator.NOT_EQUAL, ten)), "not equal");
    equal(10, cells(new ValueFilter(CompareOperator.LESS, ten)), "less");
    equal(11, cells(new ValueFilter(CompareOperator.LESS_OR_EQUAL, ten)), "less or equal");
    equal(3 * ROWS - 11, cells(new ValueFilter(CompareOperator.GREATER, ten)), "greater");
    equal(3 * ROWS - 10, cells(new ValueFilter(CompareOperator.GREATER_OR_EQUAL, ten)), "greater or equal");
    equal(10, cells(new ValueFilter(CompareOperator.EQUAL, new BinaryPrefixComparator(b("001")))), "by prefix");
    equal(ROWS / 2, cells(new ValueFilter(CompareOperator.EQUAL, new SubstringComparator("ES"))), "by part, any case");
  }

  private void ycsb() throws Exception {
    FilterList list = new FilterList();
    list.addFilter(new PageFilter(5));
    list.addFilter(new ValueFilter(CompareOperator.LESS_OR_EQUAL, new BinaryComparator(b("0015"))));
    equal(numbered(IntStream.range(0, 16)), sorted(names(list)), "rows with a value up to 0015, at most five a region");
  }

  private void lists() throws Exception {
    Filter odd = new SingleColumnValueFilter(F, b("odd"), CompareOperator.EQUAL, b("yes"));
    Filter low = new SingleColumnValueFilter(F, b("n"), CompareOperator.LESS, b("0010"));
    equal(numbered(IntStream.of(1, 3, 5, 7, 9)), sorted(names(new FilterList(FilterList.Operator.MUST_PASS_ALL, odd, low))),
        "odd and low");
    equal(numbered(IntStream.range(0, ROWS).filter(i -> i < 10 || i % 2 == 1)),
        sorted(names(new FilterList(FilterList.Operator.MUST_PASS_ONE, odd, low))), "odd or low");
  }

  private void single() throws Exception {
    SingleColumnValueFilter f = new SingleColumnValueFilter(F, b("odd"), CompareOperator.EQUAL, b("no"));
    equal(numbered(IntStream.range(0, ROWS).filter(i -> i % 2 == 0)), sorted(names(f)), "even rows");
    equal(3 * ROWS / 2, cells(f), "with all of their cells");
    f = new SingleColumnValueFilter(F, b("none"), CompareOperator.EQUAL, b("x"));
    equal(ROWS, names(f).size(), "rows without the column pass");
    f.setFilterIfMissing(true);
    equal(0, names(f).size(), "unless they must not");
  }

  private void rowFilters() throws Exception {
    equal(numbered(IntStream.range(0, ROWS).filter(i -> i % 4 == 1)), names(new PrefixFilter(b("i-filter-"))), "prefix");
    equal(numbered(IntStream.of(7, 17, 27, 37)),
        sorted(names(new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("^[a-z]-filter-0.7$")))), "regex");
    equal(numbered(IntStream.of(12)), names(new RowFilter(CompareOperator.EQUAL, new SubstringComparator("r-012"))), "part");
    equal(numbered(IntStream.of(0, 4, 8)), names(new InclusiveStopFilter(b("a-filter-008"))), "up to a last row");
  }

  private void columnFilters() throws Exception {
    equal(ROWS, cells(new QualifierFilter(CompareOperator.EQUAL, new BinaryComparator(b("odd")))), "qualifier");
    equal(3 * ROWS, cells(new FamilyFilter(CompareOperator.EQUAL, new BinaryComparator(F))), "family");
    equal(ROWS, cells(new ColumnPrefixFilter(b("sa"))), "column prefix");
    equal(2 * ROWS, cells(new ColumnRangeFilter(b("n"), true, b("same"), false)), "column range");
    List<Result> second = scan(new ColumnPaginationFilter(1, 1));
    equal(ROWS, second.size(), "rows with a second column");
    equal("odd", Bytes.toString(CellUtil.cloneQualifier(second.get(0).rawCells()[0])), "it is odd");
  }

  private void others() throws Exception {
    equal(ROWS, cells(new FirstKeyOnlyFilter()), "one cell a row");
    List<Result> keysOnly = scan(new KeyOnlyFilter());
    equal(ROWS, keysOnly.size(), "rows of keys");
    equal(0, keysOnly.get(0).rawCells()[0].getValueLength(), "length of their values");
    Filter below = new WhileMatchFilter(new RowFilter(CompareOperator.LESS, new BinaryComparator(b("a-filter-012"))));
    equal(numbered(IntStream.of(0, 4, 8)), names(below), "until the first that does not match");
  }

  private void get() throws Exception {
    String row = keys().get(5);
    try (Table t = table(connection)) {
      Get get = new Get(b(row)).setFilter(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("yes"))));
      equal("yes", Bytes.toString(t.get(get).value()), "the one cell that passes");
      equal(0, t.get(new Get(b(row)).setFilter(new PrefixFilter(b("z")))).size(), "a filter that none passes");
    }
  }

  private static List<String> sorted(List<String> names) {
    List<String> out = new ArrayList<>(names);
    Collections.sort(out);
    return out;
  }
}
