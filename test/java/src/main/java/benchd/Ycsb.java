package benchd;

import java.util.Map;
import org.apache.hadoop.hbase.util.Bytes;

/** YCSB's keys and its values under dataintegrity=true, from their formulas. */
final class Ycsb {
  private static final long BASIS = 0xCBF29CE484222325L;
  private static final long PRIME = 1099511628211L;

  /** Output of YCSB itself. */
  private static final Map<Long, String> KEYS = Map.of(
      0L, "user6284781860667377211",
      1L, "user8517097267634966620",
      2L, "user1820151046732198393",
      3L, "user4052466453699787802",
      10L, "user2408371864701034737",
      999L, "user2071219101098386137",
      1_000_000L, "user1011632231655643464",
      2_147_483_647L, "user627943977067101855",
      10_000_000_000L, "user1201321332300452516",
      -1L, "user8289690350564177859");

  private static final String VALUE = "user6284781860667377211:field0:"
      + "-56807877:2032869390:-165488160:1762371712:-169193395:-1039977118:-10";

  private Ycsb() {}

  /** The name of a key number: FNV-1a over its octets, the least significant first. */
  static String key(long number) {
    long hash = BASIS;
    for (int i = 0; i < 8; i++) {
      hash = (hash ^ (number >>> 8 * i & 0xff)) * PRIME;
    }
    return "user" + Math.abs(hash);
  }

  /** The value of a field of a key: the text so far is followed by its own hash until it is long enough. */
  static byte[] value(String key, String field, int length) {
    StringBuilder s = new StringBuilder(key).append(':').append(field);
    while (s.length() < length) {
      s.append(':');
      s.append(s.toString().hashCode());
    }
    return Bytes.toBytes(s.substring(0, length));
  }

  /** Checks the formulas against the output of YCSB. */
  static void check() {
    KEYS.forEach((number, want) -> Checks.equal(want, key(number), "key " + number));
    Checks.equal(VALUE, Bytes.toString(value(key(0), "field0", 100)), "value of field0 of key 0");
  }
}
