package benchd;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Named checks, run one after another, each within a time limit; results are printed as they come. */
final class Checks {
  private static final int LIMIT_SECONDS = 60;

  private final Map<String, Check> checks = new LinkedHashMap<>();

  /** One thing that a server must do. */
  interface Check {
    void run() throws Exception;
  }

  /** A condition that becomes true. */
  interface Condition {
    boolean holds() throws Exception;
  }

  void add(String name, Check check) {
    if (checks.put(name, check) != null) {
      throw new IllegalArgumentException("two checks are called " + name);
    }
  }

  List<String> names() {
    return new ArrayList<>(checks.keySet());
  }

  /** Runs the checks whose names contain a text and returns how many failed. */
  int run(String only) {
    ExecutorService executor = Executors.newCachedThreadPool(r -> {
      Thread t = new Thread(r);
      t.setDaemon(true); // a hanging check must not keep the program running
      return t;
    });
    int passed = 0;
    int failed = 0;
    for (Map.Entry<String, Check> e : checks.entrySet()) {
      if (!e.getKey().contains(only)) {
        continue;
      }
      long begin = System.nanoTime();
      Throwable wrong = attempt(executor, e.getValue());
      long ms = (System.nanoTime() - begin) / 1_000_000;
      System.out.printf("%s %s (%d ms)%n", wrong == null ? "ok  " : "FAIL", e.getKey(), ms);
      if (wrong == null) {
        passed++;
        continue;
      }
      failed++;
      print(wrong);
    }
    if (passed + failed == 0) {
      System.out.println("no check's name contains \"" + only + "\"");
      return 1;
    }
    System.out.printf(failed == 0 ? "%d checks passed%n" : "%d checks passed, %d failed%n", passed, failed);
    return failed;
  }

  private static Throwable attempt(ExecutorService executor, Check check) {
    Thread[] runner = new Thread[1];
    Future<?> future = executor.submit(() -> {
      runner[0] = Thread.currentThread();
      check.run();
      return null;
    });
    try {
      future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (TimeoutException e) {
      AssertionError hang = new AssertionError("it did not end within " + LIMIT_SECONDS + " s; it was here:");
      if (runner[0] != null) {
        hang.setStackTrace(runner[0].getStackTrace());
      }
      future.cancel(true);
      return hang;
    } catch (InterruptedException e) {
      return e;
    }
  }

  /** Prints an error, its causes, and where in this test it was thrown. */
  static void print(Throwable wrong) {
    for (Throwable t = wrong; t != null; t = t.getCause()) {
      String text = String.valueOf(t);
      System.out.println("       " + (text.length() > 1500 ? text.substring(0, 1500) + "…" : text));
      Arrays.stream(t.getStackTrace()).filter(f -> f.getClassName().startsWith("benchd.")).limit(3)
          .forEach(f -> System.out.println("         at " + f));
    }
  }

  static void check(boolean ok, String what) {
    if (!ok) {
      throw new AssertionError(what);
    }
  }

  static void equal(Object want, Object got, String what) {
    if (!Objects.equals(want, got)) {
      throw new AssertionError(what + ": want " + want + ", got " + got);
    }
  }

  /** Requires an exception of a class, also as the cause of another. */
  static void fails(Class<? extends Throwable> with, Check check) throws Exception {
    try {
      check.run();
    } catch (Exception e) {
      for (Throwable t = e; t != null; t = t.getCause()) {
        if (with.isInstance(t)) {
          return;
        }
      }
      throw new AssertionError("want a " + with.getSimpleName() + ", got " + e, e);
    }
    throw new AssertionError("want a " + with.getSimpleName() + ", got no exception");
  }

  /** Waits for a condition, for half the limit of a check. */
  static void eventually(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS / 2);
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("after " + LIMIT_SECONDS / 2 + " s still not: " + what);
      }
      Thread.sleep(20);
    }
  }
}
