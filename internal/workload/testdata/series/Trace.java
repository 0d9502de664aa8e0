import java.util.*;
import site.ycsb.*;
import site.ycsb.workloads.TimeSeriesWorkload;

/**
 * Prints what YCSB's TimeSeriesWorkload sends to a database, for TestTimeSeriesAreThoseOfYCSB: keys, tags and timestamps of the inserts of
 * each thread, the lengths of values, and the shapes of queries. With site.ycsb:core:0.17.0 and what it needs on the class path CP:
 *
 *   javac -cp CP -d /tmp/trace Trace.java && java -cp CP:/tmp/trace Trace > ycsb.txt
 */
public class Trace extends DB {
  static final StringBuilder out = new StringBuilder();

  static String text(ByteIterator it, boolean number) {
    byte[] b = it.toArray();
    if (!number) {
      return new String(b);
    }
    return Long.toString(new java.math.BigInteger(b).longValue());
  }

  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    out.append(key);
    for (Map.Entry<String, ByteIterator> e : values.entrySet()) {
      out.append(' ').append(e.getKey()).append('=');
      if (e.getKey().equals("YCSBV")) {
        out.append(e.getValue().toArray().length).append(" bytes");
      } else {
        out.append(text(e.getValue(), e.getKey().equals("YCSBTS")));
      }
    }
    out.append('\n');
    return Status.OK;
  }

  public Status update(String table, String key, Map<String, ByteIterator> values) { return Status.OK; }

  public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    out.append("READ ").append(key.length()).append(' ').append(shape(fields)).append('\n');
    return Status.OK;
  }

  public Status scan(String table, String key, int count, Set<String> fields, Vector<HashMap<String, ByteIterator>> result) {
    out.append("SCAN ").append(key.length()).append(' ').append(shape(fields)).append('\n');
    return Status.OK;
  }

  public Status delete(String table, String key) {
    out.append("DELETE ").append(key.replaceAll("[0-9]+", "N").replaceAll("=[A-Za-z]+", "=T")
        .replaceAll("^[A-Za-z]+", "K")).append('\n');
    return Status.OK;
  }

  static String shape(Set<String> fields) {
    TreeSet<String> sorted = new TreeSet<String>();
    for (String f : fields) {
      boolean kept = f.startsWith("YCSBDS");
      sorted.add(kept ? f : f.replaceAll("[0-9]+", "N").replaceAll("=[A-Za-z]+", "=T"));
    }
    return sorted.toString();
  }

  static void run(String name, int threads, int points, String... settings) throws Exception {
    Properties p = new Properties();
    for (String s : settings) {
      int at = s.indexOf('=');
      p.setProperty(s.substring(0, at), s.substring(at + 1));
    }
    p.setProperty("threadcount", Integer.toString(threads));
    site.ycsb.measurements.Measurements.setProperties(p);
    TimeSeriesWorkload w = new TimeSeriesWorkload();
    w.init(p);
    Trace db = new Trace();
    for (int t = 0; t < threads; t++) {
      out.append("# ").append(name).append(", thread ").append(t).append('\n');
      Object state = w.initThread(p, t, threads);
      for (int i = 0; i < points; i++) {
        if (p.containsKey("readproportion")) {
          w.doTransaction(db, state);
        } else {
          w.doInsert(db, state);
        }
      }
    }
  }

  public static void main(String[] args) throws Exception {
    String[] base = {"recordcount=1000", "insertstart=1500000000", "fieldcount=3", "fieldlength=2", "tagkeylength=2", "tagvaluelength=3",
        "tagcount=3", "randomtimeseriesorder=false"};
    run("plain", 2, 30, with(base, "tagcardinality=1,2,3", "delayedseries=0"));
    run("delayed", 1, 40, with(base, "tagcardinality=1,2,3", "delayedseries=0.5", "delayedintervals=4"));
    run("one value last", 1, 20, with(base, "tagcardinality=2,1,3", "timestampinterval=5"));
    run("all one", 1, 8, with(base, "tagcardinality=1,1,1", "timestampunits=MINUTES", "timestampinterval=2"));
    run("hours, milliseconds apart", 1, 8, with(base, "tagcardinality=1,1,2", "timestampunits=HOURS", "timestampinterval=1", "delayedseries=1"));
    run("milliseconds", 3, 5, with(base, "tagcardinality=1,2,1", "timestampunits=MILLISECONDS", "timestampinterval=250"));
    run("reads", 1, 1, with(base, "tagcardinality=1,2,3", "readproportion=1", "updateproportion=0", "requestdistribution=uniform"));
    run("reads of spans", 1, 1, with(base, "tagcardinality=1,2,3", "readproportion=1", "updateproportion=0", "requestdistribution=uniform",
        "querytimespan=3600", "downsamplingfunction=sum", "downsamplinginterval=600"));
    run("scans of spans", 1, 1, with(base, "tagcardinality=1,2,3", "readproportion=0", "updateproportion=0", "scanproportion=1", "requestdistribution=uniform",
        "querytimespan=3600", "downsamplingfunction=sum", "downsamplinginterval=600", "maxscanlength=9"));
    System.out.print(out);
  }

  static String[] with(String[] base, String... more) {
    List<String> all = new ArrayList<String>(Arrays.asList(base));
    all.addAll(Arrays.asList(more));
    return all.toArray(new String[0]);
  }
}
