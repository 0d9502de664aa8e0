package benchd;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Prints the exceptions in HBase's jars that forbid a retry, one class per line.
 *
 * <pre>
 *   test/java/run Finals CLASSPATH
 * </pre>
 */
public final class Finals {
  private static final String PACKAGE = "org/apache/hadoop/hbase/";
  private static final String END = "Exception.class";

  private Finals() {}

  public static void main(String[] args) throws Exception {
    List<URL> jars = new ArrayList<>();
    for (String path : args[0].split(File.pathSeparator)) {
      jars.add(new File(path).toURI().toURL());
    }
    TreeSet<String> found = new TreeSet<>();
    // The class path of this program must not replace these jars.
    try (URLClassLoader loader = new URLClassLoader(jars.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
      Class<?> root = Class.forName("org.apache.hadoop.hbase.DoNotRetryIOException", false, loader);
      for (URL url : jars) {
        File file = new File(url.toURI());
        if (!file.getName().startsWith("hbase-")) {
          continue;
        }
        try (JarFile jar = new JarFile(file)) {
          for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
            String name = entries.nextElement().getName();
            if (!name.startsWith(PACKAGE) || !name.endsWith(END) || name.contains("/thirdparty/")) {
              continue;
            }
            name = name.substring(0, name.length() - ".class".length()).replace('/', '.');
            if (root.isAssignableFrom(Class.forName(name, false, loader))) {
              found.add(name);
            }
          }
        }
      }
    }
    found.forEach(System.out::println);
  }
}
