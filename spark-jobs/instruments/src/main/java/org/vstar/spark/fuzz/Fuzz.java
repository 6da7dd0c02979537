package org.vstar.spark.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.vstar.common.AtomicFiles;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Attacks all readers for some minutes. */
@Command(
    name = "fuzz",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Changes configs, catalogues, models, tokenizers, checkpoints, tables and names at random."
            + " An input that is neither read correctly nor refused in one line is a finding; the exit code is then 1.")
public final class Fuzz implements Callable<Integer> {

  private static final int PATIENCE_SECONDS = 60;
  private static final int SHOWN = 20;

  @Option(names = "--minutes", defaultValue = "1", description = "how long (default: 1)")
  private double minutes;

  @Option(names = "--seed", description = "of all changes (default: a new one, which is printed)")
  private Long seed;

  @Option(names = "--only", paramLabel = "TARGET", description = "attack only this one")
  private String only;

  @Option(names = "--case", paramLabel = "NUMBER", description = "repeat one case of --only")
  private Long number;

  @Option(
      names = "--project",
      paramLabel = "DIR",
      defaultValue = ".",
      description = "where conf and datasets are (default: ${DEFAULT-VALUE})")
  private Path project;

  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "fuzz");
            thread.setDaemon(true);
            return thread;
          });

  /** What became of a target's cases. */
  static final class Tally {
    private int taken;
    private int refused;
    private final List<String> findings = new ArrayList<>();

    int taken() {
      return taken;
    }

    int refused() {
      return refused;
    }

    List<String> findings() {
      return findings;
    }
  }

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Fuzz(), args);
  }

  @Override
  public Integer call() throws Exception {
    long used = seed == null ? new SplittableRandom().nextLong() >>> 1 : seed;
    Path scratch = Files.createTempDirectory("vstar-fuzz-");
    try {
      List<Target> targets = chosen(Targets.all(project.toAbsolutePath().normalize(), scratch));
      Map<String, Tally> tallies = new LinkedHashMap<>();
      targets.forEach(target -> tallies.put(target.name(), new Tally()));
      System.err.printf(Locale.ROOT, "fuzz: seed %d%n", used);
      if (number != null) {
        run(targets.get(0), number, tallies.get(targets.get(0).name()));
      } else {
        attack(targets, used, tallies);
      }
      return report(used, tallies);
    } finally {
      AtomicFiles.delete(scratch);
    }
  }

  private List<Target> chosen(List<Target> all) {
    List<Target> chosen =
        all.stream().filter(target -> only == null || target.name().equals(only)).toList();
    if (chosen.isEmpty() || number != null && only == null) {
      throw new InvalidInputException(
          "--only is " + only + ", expected one of " + all.stream().map(Target::name).toList());
    }
    return chosen;
  }

  /** The kinds of targets take turns by their weights, each case with a seed of its own. */
  private void attack(List<Target> targets, long used, Map<String, Tally> tallies) {
    long end = System.nanoTime() + (long) (minutes * TimeUnit.MINUTES.toNanos(1));
    List<Target> turns = new ArrayList<>();
    targets.forEach(t -> turns.addAll(java.util.Collections.nCopies(t.weight(), t)));
    for (long i = 0; System.nanoTime() < end; i++) {
      long caseSeed = new ContentHash().add(used).add(i).number() >>> 1;
      Target target = turns.get((int) (caseSeed % turns.size()));
      run(target, caseSeed, tallies.get(target.name()));
    }
  }

  /** Runs one case and notes what became of it. */
  void run(Target target, long caseSeed, Tally tally) {
    Future<?> attack =
        threads.submit(
            () -> {
              target.attack(new SplittableRandom(caseSeed));
              return null;
            });
    try {
      attack.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      tally.taken++;
    } catch (ExecutionException e) {
      judge(target, caseSeed, e.getCause(), tally);
    } catch (TimeoutException e) {
      attack.cancel(true);
      note(target, caseSeed, "no answer within " + PATIENCE_SECONDS + " s", tally);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void judge(Target target, long caseSeed, Throwable thrown, Tally tally) {
    if (thrown instanceof InvalidInputException refused) {
      tally.refused++;
      String message = String.valueOf(refused.getMessage());
      if (message.isBlank() || message.contains("\n") || message.startsWith("null")) {
        note(target, caseSeed, "a message that is no line of help: " + message, tally);
      }
    } else {
      note(target, caseSeed, place(thrown), tally);
    }
  }

  private static String place(Throwable thrown) {
    StackTraceElement[] trace = thrown.getStackTrace();
    String own =
        java.util.Arrays.stream(trace)
            .filter(frame -> frame.getClassName().startsWith("org.vstar."))
            .limit(3)
            .map(StackTraceElement::toString)
            .toList()
            .toString();
    return InvalidInputException.oneLine(thrown + " " + own);
  }

  private static void note(Target target, long caseSeed, String what, Tally tally) {
    tally.findings.add(what);
    if (tally.findings.size() <= SHOWN) {
      System.err.printf(
          Locale.ROOT,
          "finding: %s; again with submit/fuzz --only %s --case %d%n",
          what,
          target.name(),
          caseSeed);
    }
  }

  private static int report(long used, Map<String, Tally> tallies) throws IOException {
    int findings = tallies.values().stream().mapToInt(t -> t.findings.size()).sum();
    int cases = tallies.values().stream().mapToInt(t -> t.taken + t.refused).sum() + findings;
    System.out.printf(Locale.ROOT, "%-14s %8s %8s %8s%n", "target", "taken", "refused", "findings");
    tallies.forEach(
        (name, t) ->
            System.out.printf(
                Locale.ROOT, "%-14s %8d %8d %8d%n", name, t.taken, t.refused, t.findings.size()));
    System.out.printf(Locale.ROOT, "%d cases, %d findings, seed %d%n", cases, findings, used);
    return findings == 0 ? 0 : 1;
  }
}
