package org.vstar.spark.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.vstar.common.AtomicFiles;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.webshop.WebShopEnvironment;
import org.vstar.env.webshop.agent.Shoppers;
import org.vstar.env.webshop.catalog.MiniCatalogue;

/**
 * Opens a catalogue of any size from disk and shops in it: {@code WebShopScale DIR PRODUCTS}. Where
 * DIR has none, one is generated with texts as long as WebShop's.
 */
public final class WebShopScale {

  private static final int PADDING = 620;
  private static final int TURNS = 15;
  private static final double SECONDS = 20;

  private WebShopScale() {}

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    int products = Integer.parseInt(args[1]);
    Path catalogue = folder.resolve("catalogue");
    if (!Files.exists(catalogue)) {
      report("generated", seconds(() -> generate(catalogue, products)), "");
    }
    double gigabytes = Files.size(catalogue.resolve("items.json")) / 1e9;
    if (!Files.exists(folder.resolve("index"))) {
      double seconds = seconds(() -> open(folder));
      report("indexed", seconds, String.format(Locale.ROOT, "%.2f GB of JSON", gigabytes));
    }
    WebShopEnvironment[] shop = new WebShopEnvironment[1];
    report("opened again", seconds(() -> shop[0] = open(folder)), "");
    shop(shop[0]);
    System.gc();
    System.out.printf(
        Locale.ROOT,
        "heap: the pools' peaks add up to %.2f GB, %.2f GB held at the end, limit %.2f GB%n",
        peak() / 1e9,
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1e9,
        Runtime.getRuntime().maxMemory() / 1e9);
  }

  private static void generate(Path catalogue, int products) throws IOException {
    AtomicFiles.createFolder(catalogue, folder -> MiniCatalogue.write(folder, products, PADDING));
  }

  private interface Work {
    void run() throws IOException;
  }

  private static double seconds(Work work) throws IOException {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1e9;
  }

  private static void report(String what, double seconds, String more) {
    System.out.printf(Locale.ROOT, "%s in %.0f s %s%n", what, seconds, more);
  }

  /** Goals that people wrote, as is usual with all products. */
  private static WebShopEnvironment open(Path folder) {
    return WebShopBench.config(
            "catalogue/items.json",
            "catalogue/attributes.json",
            "catalogue/human.json",
            "index",
            true)
        .environment(folder, 0);
  }

  private static void shop(WebShopEnvironment shop) {
    List<Task> tasks = shop.tasks(Split.TEST);
    long start = System.nanoTime();
    long end = start + (long) (SECONDS * 1e9);
    long episodes = 0;
    long steps = 0;
    while (System.nanoTime() < end) {
      Task task = tasks.get((int) (episodes % tasks.size()));
      steps += Shoppers.rule(TURNS).play(shop, task, episodes++).size();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%,d products, %,d train and %,d test goals; rule shopper, 1 thread: %.0f episodes/s, %.0f"
            + " steps/s%n",
        shop.shop().data().items().size(),
        shop.tasks(Split.TRAIN).size(),
        tasks.size(),
        episodes / seconds,
        steps / seconds);
  }

  private static long peak() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .map(MemoryPoolMXBean::getPeakUsage)
        .mapToLong(usage -> usage.getUsed())
        .sum();
  }
}
