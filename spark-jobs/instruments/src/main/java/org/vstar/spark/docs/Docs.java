package org.vstar.spark.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.bench.Bench;
import org.vstar.spark.chaos.Chaos;
import org.vstar.spark.fuzz.Fuzz;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.soak.Soak;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Builds the site. */
@Command(
    name = "docs",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Builds the pages as a site, with the classes' documentation in its folder api. Refuses"
            + " links that lead nowhere.")
public final class Docs implements Callable<Integer> {

  @Option(names = "--project", hidden = true, defaultValue = ".")
  private Path project;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "target/site",
      description = "where the site goes (default: ${DEFAULT-VALUE})")
  private Path out;

  @Option(names = "--config-page", description = "writes the page of config keys again")
  private boolean configPage;

  @Option(
      names = "--commands",
      description = "writes the page of commands and the texts of their --help again")
  private boolean commands;

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Docs(), args);
  }

  /** The texts of all commands that are Java. */
  static Map<String, String> help() {
    return CommandReference.help(
        List.of(new Docs(), Bench.toBeDescribed(), new Soak(), new Fuzz(), new Chaos()));
  }

  @Override
  public Integer call() throws IOException {
    if (configPage) {
      Files.writeString(project.resolve(ConfigReference.PAGE), ConfigReference.page(project));
      return 0;
    }
    if (commands) {
      Map<String, String> texts = help();
      for (Map.Entry<String, String> text : texts.entrySet()) {
        Path file = project.resolve(CommandReference.HELP).resolve(text.getKey() + ".txt");
        Files.writeString(file, text.getValue());
      }
      Files.writeString(
          project.resolve(CommandReference.PAGE), CommandReference.page(project, texts));
      return 0;
    }
    Site site = new Site(project);
    List<String> broken = site.brokenLinks();
    if (!broken.isEmpty()) {
      throw new InvalidInputException("broken links: " + String.join("; ", broken));
    }
    site.write(out);
    System.out.println(site.size() + " pages: " + out.resolve("index.html"));
    return 0;
  }
}
