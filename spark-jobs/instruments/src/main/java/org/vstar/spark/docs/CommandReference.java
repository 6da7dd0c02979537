package org.vstar.spark.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vstar.spark.launch.Commands;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * What each command of {@code submit} says of itself: the text of its {@code --help}, which a
 * script shows without a JVM, and the page of all of them.
 */
final class CommandReference {

  static final Path PAGE = Path.of("spark-jobs/src/site/markdown/commands.md");
  static final Path HELP = Path.of("submit/help");

  private static final String SUBMIT = "submit";
  private static final String SCRIPT = "#!/usr/bin/env bash";

  private CommandReference() {}

  /** The texts of commands that are Java, by their names; the text of a subcommand follows. */
  static Map<String, String> help(List<?> instruments) {
    List<CommandLine> commands = new ArrayList<>(Commands.all());
    for (Object instrument : instruments) {
      commands.add(JobContext.commandLine(instrument));
    }
    Map<String, String> texts = new LinkedHashMap<>();
    for (CommandLine command : commands) {
      StringBuilder text = new StringBuilder(command.getUsageMessage(Ansi.OFF));
      for (CommandLine own : command.getSubcommands().values()) {
        text.append('\n').append(own.getUsageMessage(Ansi.OFF));
      }
      texts.put(command.getCommandName().substring(SUBMIT.length() + 1), text.toString());
    }
    return texts;
  }

  /** The page: commands that are Java first, then those that are scripts alone. */
  static String page(Path project, Map<String, String> texts) throws IOException {
    TreeSet<String> scripts = new TreeSet<>();
    try (Stream<Path> files = Files.list(project.resolve(SUBMIT))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (Files.readString(file).startsWith(SCRIPT)) {
          scripts.add(file.getFileName().toString());
        }
      }
    }
    for (String script : scripts) {
      if (!texts.containsKey(script)) {
        texts.put(script, header(Files.readString(project.resolve(SUBMIT).resolve(script))));
      }
    }
    StringBuilder page =
        new StringBuilder(
            """
            # Commands

            What each command of `submit` says with `--help`. `submit/docs --commands` writes this page and those
            texts; a test compares them.
            """);
    texts.forEach(
        (name, text) ->
            page.append("\n## submit/")
                .append(name)
                .append("\n\n```\n")
                .append(text.strip())
                .append("\n```\n"));
    return page.toString();
  }

  /** The comment that a script begins with, as its {@code --help} prints it. */
  private static String header(String script) {
    return script
        .lines()
        .skip(1)
        .takeWhile(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("^# *", ""))
        .collect(Collectors.joining("\n"));
  }
}
