package org.vstar.spark.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.Website;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.DecodingMode;
import org.vstar.spark.score.EpisodeRow;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves WebShop as web pages and records what people do there as episodes. */
@Command(
    name = "shop",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Serves WebShop as web pages. Every visit that comes to its end is kept in the folder visits"
            + " of the run: submit/evaluate shows it, warmStart.recorded.file imitates it.")
public final class Shop implements Callable<Integer> {

  @Mixin private JobContext job;

  @Option(
      names = "--host",
      defaultValue = "localhost",
      description = "name or address to listen at (default: ${DEFAULT-VALUE})")
  private String host;

  @Option(
      names = "--port",
      defaultValue = "8080",
      description = "port to listen at, 0 for any that is free (default: ${DEFAULT-VALUE})")
  private int port;

  @Option(
      names = "--split",
      defaultValue = "validation",
      description =
          "whose tasks: validation or test, to compare yourself with policies, or train, to be"
              + " imitated (default: ${DEFAULT-VALUE})")
  private Split split;

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Shop(), args);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    InvalidInputException.require(port >= 0 && port < 1 << 16, "--port", port, "0 to 65535");
    Environment environment = job.environment();
    RunFolder run = job.folder();
    InetSocketAddress address = new InetSocketAddress(host, port);
    BiConsumer<Task, List<Turn>> record =
        (task, turns) ->
            record(
                run.store(),
                EpisodeRow.of(
                    environment, EpisodeRow.PERSON, DecodingMode.SAMPLED, task, 0, turns));
    try (Website.Server site = serve(environment, address, record)) {
      Console.out().println("the shop is open at " + site.address() + ", Ctrl-C closes it");
      Console.out().println("visits are recorded in " + run.store().location(RunFolder.VISITS));
      new CountDownLatch(1).await();
    } catch (SocketException e) {
      throw InvalidInputException.cannot("listen at " + address, e);
    }
    return 0;
  }

  private Website.Server serve(
      Environment environment, InetSocketAddress address, BiConsumer<Task, List<Turn>> record)
      throws IOException {
    for (Website website : Website.all()) {
      Optional<Website.Server> site = website.serve(environment, split, address, record);
      if (site.isPresent()) {
        return site.get();
      }
    }
    throw new InvalidInputException(
        "there are no web pages of environment '" + environment.name() + "'");
  }

  /** Each visit is a thing of its own, because another shop may record there too. */
  private static void record(RunStore store, EpisodeRow row) {
    String time = Instant.now().toString().replace(':', '-');
    String name = RunFolder.VISITS + time + "-" + UUID.randomUUID() + ".jsonl";
    try {
      byte[] line = (row.line() + "\n").getBytes(StandardCharsets.UTF_8);
      store.publish(name, out -> out.write(line));
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + store.location(name), e);
    }
  }
}
