package org.vstar.spark;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.vstar.env.InputError;
import org.vstar.env.Split;
import org.vstar.env.webshop.ShopSite;
import org.vstar.env.webshop.WebShopEnvironment;
import org.vstar.spark.evaluate.EpisodeRow;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves WebShop as web pages and records what people do there as episodes. */
@Command(
    name = "shop",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Serves WebShop as web pages. Every visit that comes to its end is added to"
            + " visits.jsonl of the run: submit/evaluate shows it, warmStart.recorded.file imitates it.")
public final class Browse implements Callable<Integer> {

  @Mixin private Job job;

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
      defaultValue = "test",
      description =
          "whose tasks: test, to compare yourself with policies, or train, to be imitated"
              + " (default: ${DEFAULT-VALUE})")
  private Split split;

  public static void main(String[] args) {
    Job.main(new Browse(), args);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    InputError.require(port >= 0 && port < 1 << 16, "--port", port, "0 to 65535");
    if (!(job.environment() instanceof WebShopEnvironment shop)) {
      throw new InputError("environment.kind is not webshop: there are no web pages of it");
    }
    Path visits = job.folder().visits();
    InetSocketAddress address = new InetSocketAddress(host, port);
    try (ShopSite site =
        new ShopSite(
            shop,
            split,
            address,
            (task, turns) ->
                append(
                    visits,
                    EpisodeRow.of(shop, EpisodeRow.PERSON, EpisodeRow.SAMPLED, task, 0, turns)))) {
      System.out.println("the shop is open at " + site.address() + ", Ctrl-C closes it");
      System.out.println("visits are recorded in " + visits);
      new CountDownLatch(1).await();
    } catch (SocketException e) {
      throw new InputError("cannot listen at " + address + ": " + e.getMessage(), e);
    }
    return 0;
  }

  private static synchronized void append(Path visits, EpisodeRow row) {
    try {
      Files.createDirectories(visits.toAbsolutePath().getParent());
      byte[] line =
          (new ObjectMapper().writeValueAsString(row) + "\n").getBytes(StandardCharsets.UTF_8);
      // One write of a whole line, under a lock: another shop may record there too.
      try (FileChannel file =
          FileChannel.open(visits, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
        file.lock();
        file.write(ByteBuffer.wrap(line));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + visits, e);
    }
  }
}
