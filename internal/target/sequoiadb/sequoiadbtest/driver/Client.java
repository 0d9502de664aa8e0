import com.sequoiadb.base.CollectionSpace;
import com.sequoiadb.base.DBCollection;
import com.sequoiadb.base.DBCursor;
import com.sequoiadb.base.Sequoiadb;
import java.nio.charset.StandardCharsets;
import org.bson.BSONObject;
import org.bson.BasicBSONObject;
import org.bson.types.Binary;

/** A second client of SequoiaDB for tests: HOST:PORT USER PASSWORD SPACE COLLECTION count | get KEY | load ROWS. */
public class Client {
  public static void main(String[] args) throws Exception {
    Sequoiadb db = new Sequoiadb(args[0], args[1], args[2]);
    try {
      switch (args[5]) {
        case "count":
          System.out.println(db.getCollectionSpace(args[3]).getCollection(args[4]).getCount());
          break;
        case "get":
          get(db.getCollectionSpace(args[3]).getCollection(args[4]), args[6]);
          break;
        case "load":
          load(db, args[3], args[4], Integer.parseInt(args[6]));
          break;
        default:
          throw new IllegalArgumentException(args[5]);
      }
    } finally {
      db.close();
    }
  }

  /** Prints the binary fields of a document, as YCSB's binding reads them. */
  private static void get(DBCollection collection, String key) {
    DBCursor cursor = collection.query(new BasicBSONObject("_id", key), null, null, null);
    while (cursor.hasNext()) {
      BSONObject document = cursor.getNext();
      for (String field : document.keySet()) {
        if (document.get(field) instanceof Binary) {
          System.out.println(field + "=" + new String(((Binary) document.get(field)).getData(), StandardCharsets.UTF_8));
        }
      }
    }
    cursor.close();
  }

  /** Creates a space and a collection, and inserts documents in the form of YCSB's binding. */
  private static void load(Sequoiadb db, String space, String name, int rows) {
    CollectionSpace cs = db.isCollectionSpaceExist(space) ? db.getCollectionSpace(space) : db.createCollectionSpace(space);
    BSONObject options = new BasicBSONObject("ShardingKey", new BasicBSONObject("_id", 1));
    options.put("EnsureShardingIndex", false);
    options.put("AutoSplit", true);
    options.put("Compressed", false);
    DBCollection collection = cs.createCollection(name, options);
    for (int i = 0; i < rows; i++) {
      BSONObject document = new BasicBSONObject("_id", "user" + i);
      document.put("field0", ("value " + i).getBytes(StandardCharsets.UTF_8));
      collection.insertRecord(document);
    }
  }
}
