package org.vstar.spark.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.env.Split;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.DecodingMode;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.score.EpisodeRow.TurnRow;
import org.vstar.spark.score.Evaluation;
import org.vstar.spark.score.Headroom;
import org.vstar.spark.store.Store;

/**
 * The page in a browser. Needs Chromium; {@code VSTAR_BROWSER=required} makes it an error that
 * there is none.
 */
class HtmlReportTest {

  private static final String TRAINED = "A*-PO regression";
  private static final String HOSTILE = "</script><script>document.title='taken'</script>";

  @TempDir Path folder;
  private RunFolder run;

  @BeforeEach
  void open() {
    run = new RunFolder(Store.open(folder.toString()));
  }

  private static EpisodeRow row(String method, int task, boolean success) {
    String id = "task" + task;
    return new EpisodeRow(
        method,
        DecodingMode.SAMPLED,
        id,
        task % 2 == 0 ? "shoes" : "lamps",
        id,
        0,
        success,
        success ? 1 : -0.1,
        2,
        success ? null : "wrong buy",
        Map.of(),
        "",
        "",
        List.of(
            new TurnRow("TASK: number " + task + " " + HOSTILE, "hm", "search[x]", 0, "searched"),
            new TurnRow("results", "this one", "buy[1]", success ? 1 : -0.1, "bought")),
        null,
        null);
  }

  private static TrainingRecord training() {
    EpisodeRow learned = row(TRAINED, 9, true).withLearned(new EpisodeRow.Learned(19, 0.25, 0.75));
    return new TrainingRecord(
        Map.of("regression", List.of(new double[] {0, 0.1}, new double[] {20, 0.9})),
        new TrainingRecord.Values(
            TrainingRecord.Histogram.of(List.of(0.0, 0.5, 1.0)),
            Optional.of(
                Headroom.of(
                    List.of(
                        new Headroom.Measure("mixed", "", 0.1, 0.05, 0.2, 9),
                        new Headroom.Measure("always_fail", "", 0.9, 0.8, 0.95, 9),
                        new Headroom.Measure("always_succeed", "", 0, 0, 0.1, 9),
                        new Headroom.Measure("pass_at_k", "16", 0.3, 0.2, 0.4, 9),
                        new Headroom.Measure("pass_at_k", "2", 0.2, 0.1, 0.3, 9),
                        new Headroom.Measure("pass_at_k", "1", 0.1, 0, 0.2, 9))))),
        List.of(learned));
  }

  private void writeEvaluation() throws IOException {
    List<EpisodeRow> rows = new ArrayList<>();
    for (int task = 0; task < 6; task++) {
      rows.add(row(Evaluation.REFERENCE, task, task < 2));
      rows.add(row(TRAINED, task, task < 5));
    }
    Evaluation evaluation = Evaluation.of(Split.VALIDATION, List.of(), List.of(TRAINED), rows);
    HtmlReport.write("shop <1>", run, training(), "evaluation", evaluation);
  }

  private Process browser(Path log, String... options) throws IOException {
    Optional<Path> chromium =
        Stream.of(System.getenv("PATH").split(":"))
            .map(place -> Path.of(place, "chromium"))
            .filter(Files::isExecutable)
            .findFirst();
    boolean required = "required".equals(System.getenv("VSTAR_BROWSER"));
    assertThat(chromium.isPresent() || !required).as("there is a browser").isTrue();
    assumeTrue(chromium.isPresent(), "no chromium");
    List<String> command = new ArrayList<>(List.of(chromium.orElseThrow().toString()));
    command.addAll(List.of("--headless", "--no-sandbox", "--disable-gpu"));
    command.addAll(List.of("--disable-background-networking", "--enable-logging=stderr"));
    command.add("--user-data-dir=" + folder.resolve("profile"));
    command.addAll(List.of(options));
    return new ProcessBuilder(command).redirectError(log.toFile()).start();
  }

  /** What a browser makes of the page, with these choices in its address. */
  private String inBrowser(String page, Map<String, String> choices) throws Exception {
    StringBuilder address = new StringBuilder(folder.resolve(page).toUri() + "#");
    choices.forEach(
        (name, value) -> address.append('&').append(name + "=" + URLEncoder.encode(value, UTF_8)));
    Path log = folder.resolve("browser.log");
    Process process =
        browser(
            log, "--virtual-time-budget=3000", "--timeout=20000", "--dump-dom", address.toString());
    String dom = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(Files.readString(log)).isZero();
    assertThat(Files.readString(log)).doesNotContain("CONSOLE");
    return dom;
  }

  private static List<String> found(String dom, String expression) {
    return Pattern.compile(expression).matcher(dom).results().map(r -> r.group(1)).toList();
  }

  @Test
  void theBrowserDrawsTheChartsAndListsReferenceAndTrainedPolicySideBySide() throws Exception {
    writeEvaluation();
    String dom = inBrowser("evaluation/report.html", Map.of());
    assertThat(found(dom, "<title>(.*?)</title>")).containsExactly("Vstar: shop &lt;1&gt;");
    assertThat(found(dom, "<td>([^<]*)</td><td>33.3 %</td>")).containsExactly("reference");
    assertThat(found(dom, "<canvas id=\"(\\w+)\"[^>]* width=\"[1-9]\\d*\""))
        .containsExactly("curves", "vstar", "bars");
    assertThat(found(dom, "<li><button[^>]*data-key=\"(\\w+) 0\"")).hasSize(6);
    assertThat(found(dom, "<h3>(.*?)</h3>")).containsExactly("reference", TRAINED);
    assertThat(found(dom, "<td>(pass@k, k = \\d+)</td>"))
        .containsExactly("pass@k, k = 1", "pass@k, k = 2", "pass@k, k = 16");
    assertThat(dom)
        .contains("<td>tasks of mixed outcome</td><td>10.0 %</td><td>5.0 – 20.0 %</td>")
        .contains("Take more samples")
        .contains("TASK: number 0 &lt;/script&gt;", "6 episodes");
  }

  @Test
  void theAddressChoosesOutcomesWordsAndReturns() throws Exception {
    writeEvaluation();
    String dom =
        inBrowser(
            "evaluation/report.html",
            Map.of("leftOutcome", "no", "rightOutcome", "yes", "words", "lamps"));
    assertThat(found(dom, "data-key=\"(\\w+) 0\"")).containsExactly("task3");
    String none = inBrowser("evaluation/report.html", Map.of("least", "1.5"));
    assertThat(none).contains("0 episodes");
    String learned =
        inBrowser("evaluation/report.html", Map.of("left", TRAINED + ", update 20", "right", ""));
    assertThat(learned).contains("success, return 1.00, V* 0.25, advantage +0.75.");
  }

  private byte[] trainingPage(boolean going) throws IOException {
    HtmlReport.write("shop", run, training(), "train-regression", "20 of 40 updates.", going);
    String page = Files.readString(folder.resolve("train-regression/report.html"));
    assertThat(page).contains("\"refreshSeconds\":" + (going ? 10 : 0));
    return page.replace("\"refreshSeconds\":10", "\"refreshSeconds\":1").getBytes(UTF_8);
  }

  @Test
  void aPageOfTrainingLoadsItselfAgainUntilTrainingHasEnded() throws Exception {
    byte[] going = trainingPage(true);
    byte[] ended = trainingPage(false);
    Semaphore loads = new Semaphore(0);
    AtomicReference<byte[]> page = new AtomicReference<>(going);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/report.html",
        call -> {
          call.getResponseHeaders().add("Content-Type", "text/html; charset=utf-8");
          byte[] now = page.get();
          call.sendResponseHeaders(200, now.length);
          call.getResponseBody().write(now);
          call.close();
          loads.release();
        });
    server.start();
    String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/report.html";
    Process process = browser(folder.resolve("browser.log"), "--remote-debugging-port=0", address);
    try {
      assertThat(loads.tryAcquire(3, 30, SECONDS)).as("loaded three times").isTrue();
      page.set(ended);
      assertThat(loads.tryAcquire(30, SECONDS)).as("loaded the last page").isTrue();
      // One load may have been under way when the page changed.
      loads.tryAcquire(1500, MILLISECONDS);
      assertThat(loads.tryAcquire(2, SECONDS)).as("loaded once more").isFalse();
    } finally {
      kill(process);
      server.stop(0);
    }
  }

  /** The browser with its children, which else go on to write in the profile. */
  private static void kill(Process browser) {
    List<ProcessHandle> all =
        Stream.concat(Stream.of(browser.toHandle()), browser.descendants()).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(process -> process.onExit().join());
  }

  @Test
  void aPageNeedsNothingFromElsewhereAndOfManyEpisodesShowsThoseOfWholeTasks() throws IOException {
    List<EpisodeRow> rows = new ArrayList<>();
    for (int task = 0; task < 3_000; task++) {
      rows.add(row(Evaluation.REFERENCE, task, false));
      rows.add(row(TRAINED, task, true));
    }
    Evaluation evaluation = Evaluation.of(Split.TEST, List.of(), List.of(TRAINED), rows);
    HtmlReport.write("shop", run, training(), "evaluation", evaluation);
    String page = Files.readString(folder.resolve("evaluation/report.html"));
    assertThat(page).contains("4000 of 6000 episodes").doesNotContain("src=", "<link", "@import");
  }
}
