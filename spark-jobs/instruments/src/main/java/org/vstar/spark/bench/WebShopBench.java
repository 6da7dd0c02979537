package org.vstar.spark.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.shopping.SearchIndex;
import org.vstar.env.webshop.Demonstrator;
import org.vstar.env.webshop.TrainVariation;
import org.vstar.env.webshop.WebShopConfig;
import org.vstar.env.webshop.WebShopEnvironment;
import org.vstar.env.webshop.agent.CarefulShopper;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.agent.Shoppers;
import org.vstar.env.webshop.catalog.MiniCatalogue;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.GoalSplit;
import org.vstar.env.webshop.reward.RewardWeights;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;

/**
 * Measures how fast the shop is: {@code WebShopBench DIR}, where DIR has the published files (or
 * those of {@link MiniCatalogue}).
 */
public final class WebShopBench {

  private static final int TURNS = 15;
  private static final int TEST_GOALS = 500;
  private static final int VALIDATION_GOALS = 200;
  private static final int PER_PRODUCT = 10;
  private static final long SEED = 233;
  private static final double SECONDS = 3;
  private static final int SAMPLES = 200_000;

  private WebShopBench() {}

  public static void main(String[] args) throws InterruptedException {
    WebShopEnvironment shop = open(Path.of(args[0]));
    int cores = Runtime.getRuntime().availableProcessors();
    System.out.printf(
        Locale.ROOT,
        "%d products, %d test goals, %d processors%n",
        shop.shop().data().items().size(),
        shop.tasks(Split.TEST).size(),
        cores);
    episodes(shop, 1);
    for (int threads : new int[] {1, cores}) {
      double[] rates = episodes(shop, threads);
      System.out.printf(
          Locale.ROOT,
          "scan shopper, %d thread(s): %.0f episodes/s, %.0f steps/s%n",
          threads,
          rates[0],
          rates[1]);
    }
    searches(shop);
    steps(shop);
  }

  /** The shop of a folder with the published files, or those of {@link MiniCatalogue}. */
  public static WebShopEnvironment open(Path folder) {
    boolean published = Files.exists(folder.resolve("items_shuffle_1000.json"));
    String items = published ? "items_shuffle_1000.json" : "items.json";
    String attributes = published ? "items_ins_v2_1000.json" : "attributes.json";
    String human = published ? "items_human_ins.json" : "human.json";
    return config(items, attributes, human, null, false).environment(folder, 0);
  }

  /** What is measured: our split, WebShop's own text, no demonstrator. */
  static WebShopConfig config(
      String items, String attributes, String human, String index, boolean humanGoals) {
    return new WebShopConfig(
        new WebShopConfig.DataFiles(items, attributes, human, index, null, null),
        new WebShopConfig.GoalSettings(
            SEED,
            humanGoals,
            null,
            GoalSplit.Kind.PRODUCT,
            TEST_GOALS,
            VALIDATION_GOALS,
            PER_PRODUCT,
            Integer.MAX_VALUE,
            false),
        new WebShopConfig.ShopSettings(
            TURNS, false, WebShopConfig.Prompts.WEBSHOP, WebShopConfig.Compat.SANE),
        RewardWeights.ORIGINAL,
        new Demonstrator(
            1,
            CarefulShopper.ALWAYS,
            0,
            new NoisyShopper.ErrorRates(0, 0, 0, 0, 0),
            TrainVariation.NONE),
        TrainVariation.NONE);
  }

  /** Episodes and steps per second of the scan shopper, its searches included. */
  private static double[] episodes(WebShopEnvironment shop, int threads)
      throws InterruptedException {
    List<Task> tasks = shop.tasks(Split.TEST);
    AtomicLong episodes = new AtomicLong();
    AtomicLong steps = new AtomicLong();
    long end = System.nanoTime() + (long) (SECONDS * 1e9);
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int first = i * tasks.size() / threads;
      Thread worker =
          new Thread(
              () -> {
                for (int at = first; System.nanoTime() < end; at++) {
                  Task task = tasks.get(at % tasks.size());
                  steps.addAndGet(Shoppers.scan(TURNS).play(shop, task, at).size());
                  episodes.incrementAndGet();
                }
              });
      worker.start();
      workers.add(worker);
    }
    for (Thread worker : workers) {
      worker.join();
    }
    return new double[] {episodes.get() / SECONDS, steps.get() / SECONDS};
  }

  private static void searches(WebShopEnvironment shop) {
    List<String> queries = shop.split().test().stream().map(Goal::instruction).toList();
    SearchIndex search = shop.shop().search();
    long start = System.nanoTime();
    int done = 0;
    while (System.nanoTime() - start < SECONDS * 1e9) {
      search.search(queries.get(done++ % queries.size()));
    }
    System.out.printf(
        Locale.ROOT,
        "searches of whole instructions, 1 thread: %.0f/s%n",
        done / ((System.nanoTime() - start) / 1e9));
  }

  /** A walk over product pages: open, choose, read, go back. */
  private static void steps(WebShopEnvironment shop) {
    Goal goal = shop.split().test().get(0);
    Session session = shop.shop().session(goal, "0", false);
    session.step("search[" + goal.instruction() + "]");
    List<String> walk = walk(session);
    ToLongFunction<String> step =
        action -> {
          session.step(action);
          return session.page().text().length();
        };
    for (int i = 0; i < SAMPLES; i++) {
      step.applyAsLong(walk.get(i % walk.size()));
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = threads.getCurrentThreadAllocatedBytes();
    long[] nanos = new long[SAMPLES];
    long characters = 0;
    long start = System.nanoTime();
    for (int i = 0; i < SAMPLES; i++) {
      long before = System.nanoTime();
      characters += step.applyAsLong(walk.get((i + SAMPLES) % walk.size()));
      nanos[i] = System.nanoTime() - before;
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long bytes = (threads.getCurrentThreadAllocatedBytes() - allocated) / SAMPLES;
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "steps without search, observation text included, 1 thread: %.0f/s, p99 %.0f µs, %d bytes"
            + " allocated a step, %d characters%n",
        SAMPLES / seconds,
        nanos[(int) (SAMPLES * 0.99)] / 1e3,
        bytes,
        characters / SAMPLES);
  }

  private static List<String> walk(Session results) {
    String asin =
        results.page().clickables().keySet().stream()
            .filter(text -> results.page().clickables().get(text) instanceof Page.Link)
            .findFirst()
            .orElseThrow();
    return List.of(
        "click[" + asin + "]",
        "click[description]",
        "click[< prev]",
        "click[features]",
        "click[< prev]",
        "click[< prev]");
  }
}
