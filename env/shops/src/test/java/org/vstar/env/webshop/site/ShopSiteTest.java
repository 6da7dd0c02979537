package org.vstar.env.webshop.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.htmlunit.WebClient;
import org.htmlunit.html.DomNode;
import org.htmlunit.html.HtmlButton;
import org.htmlunit.html.HtmlElement;
import org.htmlunit.html.HtmlInput;
import org.htmlunit.html.HtmlPage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.MiniShop;
import org.vstar.env.webshop.WebShopConfig;
import org.vstar.env.webshop.WebShopEnvironment;
import org.vstar.env.webshop.goal.Goal;

/** Pages in a browser without a screen, the rest over HTTP. */
class ShopSiteTest {

  private static final int PATIENCE_SECONDS = 30;
  private static final WebShopEnvironment SHOP =
      MiniShop.open(WebShopConfig.Prompts.COMPACT, WebShopConfig.Compat.SANE, -0.1);

  private record Visit(Task task, List<Turn> turns) {}

  private final BlockingQueue<Visit> recorded = new LinkedBlockingQueue<>();
  private final WebClient browser = new WebClient();
  private ShopSite site;
  private HtmlPage page;

  @BeforeEach
  void open() throws IOException {
    site =
        new ShopSite(
            SHOP,
            Split.TEST,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            (task, turns) -> recorded.add(new Visit(task, turns)));
    page = browser.getPage(site.address().toURL());
  }

  @AfterEach
  void close() {
    browser.close();
    site.close();
  }

  private String text(String selector) {
    return page.<HtmlElement>querySelector(selector).asNormalizedText();
  }

  private int count(String selector) {
    return page.querySelectorAll(selector).size();
  }

  private void type(String words) {
    page.<HtmlInput>querySelector("input").setValue(words);
  }

  /** Clicks the first button with this label. */
  private void click(String label) throws IOException {
    for (DomNode button : page.querySelectorAll("button")) {
      if (button.asNormalizedText().equals(label)) {
        page = ((HtmlButton) button).click();
        return;
      }
    }
    throw new AssertionError("no button '" + label + "' in\n" + page.asNormalizedText());
  }

  @Test
  void aPersonSearchesOpensChoosesBuysAndSeesTheRewardWithItsParts() throws Exception {
    List<Task> tasks = SHOP.tasks(Split.TEST);
    int number = 0;
    while (SHOP.goal(tasks.get(number)).options().isEmpty()) {
      number++;
    }
    Goal goal = SHOP.goal(tasks.get(number));
    click("Task " + number);
    assertThat(text("#instruction")).isEqualTo(goal.instruction());
    type(goal.item().title());
    click("Search");
    assertThat(text("#event")).isEqualTo("helpful results");
    click(goal.item().asin());
    for (String value : goal.options().values()) {
      click(value);
      assertThat(text("button.chosen")).isNotEmpty();
    }
    click("Features");
    click("< Prev");
    assertThat(count("button.chosen")).isEqualTo(goal.options().size());
    click("Buy Now");
    assertThat(text("#event")).isEqualTo("right purchase");
    assertThat(text("#reward")).isEqualTo("Reward 1.0000");
    assertThat(text("#parts")).contains("type\t1.0000", "options\t1.0000", "price\t1.0000");

    Visit visit = recorded.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(visit.task()).isEqualTo(tasks.get(number));
    List<String> actions = visit.turns().stream().map(t -> t.answer().action()).toList();
    assertThat(actions.get(0)).startsWith("search ");
    assertThat(actions.get(1)).startsWith("open ");
    assertThat(actions.get(actions.size() - 1)).isEqualTo("buy");
    assertThat(visit.turns().get(visit.turns().size() - 1).outcome().success()).isTrue();
  }

  @Test
  void aVisitWithoutTurnsLeftIsOverAndRecorded() throws Exception {
    click("Task 0");
    type("mug");
    click("Search");
    for (int turn = 2; turn <= SHOP.maxTurns(); turn++) {
      click("Next >");
    }
    assertThat(text("#reward")).isEqualTo("No turns left, nothing bought");
    assertThat(recorded.take().turns()).hasSize(SHOP.maxTurns());
  }

  private HttpResponse<Void> send(String path, String form, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(site.address().resolve(path));
    if (form != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(form));
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.discarding());
  }

  private int status(String path, String form) throws IOException, InterruptedException {
    return send(path, form).statusCode();
  }

  /** Begins a visit; gives its path. */
  private String visit() throws IOException, InterruptedException {
    HttpResponse<Void> started = send("/start/0", "");
    assertThat(started.statusCode()).isEqualTo(303);
    return started.headers().firstValue("Location").orElseThrow();
  }

  @Test
  void aVisitThatCannotBeRecordedIsNotSaidToBeDone() throws Exception {
    site.close();
    site =
        new ShopSite(
            SHOP,
            Split.TEST,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            (task, turns) -> {
              throw new IllegalStateException("the disk is full");
            });
    String visit = visit();
    for (int turn = 1; turn < SHOP.maxTurns(); turn++) {
      assertThat(status(visit, "action=nothing")).isEqualTo(303);
    }
    assertThat(status(visit, "action=nothing")).isEqualTo(500);
  }

  @Test
  void whatIsNotThereIsSaidSoAndNothingBreaks() throws Exception {
    assertThat(status("/visit/99", null)).isEqualTo(404);
    assertThat(status("/x//", null)).isEqualTo(404);
    assertThat(status("/start/40", "")).isEqualTo(404);
    assertThat(status("/start/x", "")).isEqualTo(404);
    assertThat(status("/start/any", null)).isEqualTo(404);
    assertThat(status("/start/0/1/2", "")).isEqualTo(404);
    String visit = visit();
    assertThat(status(visit, "action=%zz")).isEqualTo(303);
    assertThat(status(visit, "action=click%5Bnothing%5D")).isEqualTo(303);
    assertThat(status(visit, null)).isEqualTo(200);
    assertThat(status("/start/any", "")).isEqualTo(303);
  }

  @Test
  void whatAnotherSiteMakesABrowserSendIsRefusedAndRecordsNothing() throws Exception {
    String own = "http://" + site.address().getAuthority();
    String visit = visit();
    for (int turn = 0; turn < SHOP.maxTurns(); turn++) {
      assertThat(send(visit, "action=x", "Origin", "http://evil.example").statusCode())
          .isEqualTo(403);
      assertThat(send(visit, "action=x", "Sec-Fetch-Site", "cross-site").statusCode())
          .isEqualTo(403);
      assertThat(send(visit, "action=x", "Origin", "null").statusCode()).isEqualTo(403);
    }
    assertThat(recorded).isEmpty();
    assertThat(send(visit, "action=x", "Origin", own, "Sec-Fetch-Site", "same-origin").statusCode())
        .isEqualTo(303);
    try (Socket socket = new Socket(site.address().getHost(), site.address().getPort())) {
      String rebound = "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(rebound.getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 403");
    }
  }

  private String page(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(site.address().resolve(path)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void whatComesFromTasksAndVisitorsIsTextAndNotAPartOfThePage() throws Exception {
    String hostile = "\"><script>x()</script>";
    String escaped = "&quot;&gt;&lt;script&gt;x()&lt;/script&gt;";
    Task task = new Task("id", "shop", Split.TEST, hostile, "category", "id");
    assertThat(ShopHtml.tasks(List.of(task))).contains(escaped).doesNotContain("<script");
    assertThat(ShopHtml.message(hostile)).contains(escaped).doesNotContain("<script");
    String visit = visit();
    for (String field : List.of("keywords", "action")) {
      String typed = URLEncoder.encode(hostile, StandardCharsets.UTF_8);
      assertThat(status(visit, field + "=" + typed)).isEqualTo(303);
      assertThat(page(visit)).doesNotContain("<script");
    }
  }

  @Test
  void aFormThatIsTooLongIsRefusedAndDoesNothing() throws Exception {
    String visit = visit();
    assertThat(status(visit, "keywords=" + "a".repeat(1 << 16))).isEqualTo(413);
    assertThat(page(visit)).contains(SHOP.maxTurns() + " turns");
    assertThat(status(visit, "keywords=" + "a".repeat(1 << 15))).isEqualTo(303);
    assertThat(page(visit)).contains((SHOP.maxTurns() - 1) + " turns");
  }

  @Test
  void theOldestOfAThousandVisitsIsForgotten() throws Exception {
    String oldest = visit();
    String second = visit();
    assertThat(status(oldest, null)).isEqualTo(200);
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest begin =
        HttpRequest.newBuilder(site.address().resolve("/start/0"))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    for (int i = 0; i < 999; i++) {
      client.send(begin, HttpResponse.BodyHandlers.discarding());
    }
    assertThat(status(oldest, null)).isEqualTo(404);
    assertThat(status(second, null)).isEqualTo(200);
  }

  @Test
  void visitsCannotBeGuessedFromOneAnother() throws Exception {
    assertThat(visit()).matches("/visit/[0-9a-f-]{36}").isNotEqualTo(visit());
  }

  @Test
  void halfOpenRequestsTakeFewThreadsAndAreCutOffWhileOthersAreAnswered() throws Exception {
    List<Socket> open = new ArrayList<>();
    int before = Thread.activeCount();
    for (int i = 0; i < 150; i++) {
      Socket socket = new Socket(site.address().getHost(), site.address().getPort());
      socket.getOutputStream().write("GET / HT".getBytes(StandardCharsets.US_ASCII));
      open.add(socket);
    }
    for (Socket socket : open.subList(0, 32)) {
      socket.setSoTimeout(1000 * PATIENCE_SECONDS);
      assertThat(socket.getInputStream().read()).as("cut off").isEqualTo(-1);
    }
    assertThat(Thread.activeCount() - before).isLessThan(60);
    for (Socket socket : open) {
      socket.close();
    }
    assertThat(status("/", null)).isEqualTo(200);
  }
}
