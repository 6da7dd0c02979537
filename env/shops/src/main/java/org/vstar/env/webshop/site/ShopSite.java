package org.vstar.env.webshop.site;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.Website;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.webshop.WebShopEnvironment;
import org.vstar.env.webshop.goal.GoalDraw;

/**
 * The shop as web pages, for a person with a browser. Each visit is an episode: the turns that it
 * is recorded with are those of an agent of the environment's dialogue.
 */
public final class ShopSite implements Website.Server {

  private static final System.Logger LOG = System.getLogger(ShopSite.class.getName());
  private static final int MAX_VISITS = 1000;
  private static final int LONGEST_FORM = 1 << 16;
  private static final int THREADS = 32;

  /** Within this time a request has to be here whole; who sends it slower is cut off. */
  private static final String REQUEST_SECONDS = "5";

  private static final String ANSWER_SECONDS = "60";
  private static final long SEEDS = 0xffff_ffffL;

  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  private final WebShopEnvironment shop;
  private final List<Task> tasks;
  private final BiConsumer<Task, List<Turn>> record;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

  /** The oldest visit is forgotten when there are too many. */
  private final Map<String, Visit> visits =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Visit> eldest) {
          return size() > MAX_VISITS;
        }
      };

  private final GoalDraw draw;
  private final PythonRandom random;
  private final String host;

  /** Makes the site known. */
  public static final class OfWebShop implements Website {
    @Override
    public Optional<Server> serve(
        Environment environment,
        Split split,
        InetSocketAddress address,
        BiConsumer<Task, List<Turn>> record)
        throws IOException {
      return environment instanceof WebShopEnvironment shop
          ? Optional.of(new ShopSite(shop, split, address, record))
          : Optional.empty();
    }
  }

  /**
   * Opens the site.
   *
   * @param split whose tasks can be chosen
   * @param address where it listens; port 0 for any that is free
   * @param record is told of every visit that has come to its end
   * @throws IOException if it cannot listen there
   */
  public ShopSite(
      WebShopEnvironment shop,
      Split split,
      InetSocketAddress address,
      BiConsumer<Task, List<Turn>> record)
      throws IOException {
    this.shop = shop;
    this.tasks = shop.originals(split);
    this.record = record;
    this.draw = shop.draw(split);
    this.random = new PythonRandom(System.nanoTime() & SEEDS);
    this.host = address.getHostString();
    limitTimes();
    this.server = HttpServer.create(address, 0);
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
  }

  /** The JDK's server has no other way to be told; it looks when the first of a process is made. */
  private static void limitTimes() {
    System.getProperties().putIfAbsent("sun.net.httpserver.maxReqTime", REQUEST_SECONDS);
    System.getProperties().putIfAbsent("sun.net.httpserver.maxRspTime", ANSWER_SECONDS);
  }

  @Override
  public URI address() {
    InetSocketAddress at = server.getAddress();
    return URI.create("http://" + at.getHostString() + ":" + at.getPort() + "/");
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      answerOrFail(exchange);
    } catch (RuntimeException e) {
      // The browser has been told; who runs the shop must hear of it too.
      LOG.log(System.Logger.Level.ERROR, "answering " + exchange.getRequestURI(), e);
    }
  }

  private void answerOrFail(HttpExchange exchange) throws IOException {
    try {
      route(exchange);
    } catch (RuntimeException e) {
      send(exchange, 500, ShopHtml.message("This did not work: " + e.getMessage()));
      throw e;
    }
  }

  private void route(HttpExchange exchange) throws IOException {
    String[] path = exchange.getRequestURI().getPath().substring(1).split("/", -1);
    boolean posts = exchange.getRequestMethod().equals("POST");
    if (!isOwn(exchange.getRequestHeaders(), posts)) {
      send(exchange, 403, ShopHtml.message("This request comes from another site."));
    } else if (path.length == 1 && path[0].isEmpty()) {
      send(exchange, 200, ShopHtml.tasks(tasks));
    } else if (path.length == 2 && path[0].equals("start") && posts) {
      start(exchange, path[1]);
    } else if (path.length == 2 && path[0].equals("visit")) {
      visit(exchange, path[1], posts);
    } else {
      send(exchange, 404, ShopHtml.message("There is no such page."));
    }
  }

  /**
   * Whether a request comes from this site's own pages, or from no page at all. What another site
   * makes a browser send would be recorded as what a person did. A name of another site that leads
   * to this machine is not believed either.
   */
  private boolean isOwn(Headers headers, boolean posts) {
    String called = headers.getFirst("Host");
    String name = called == null ? host : called.replaceFirst(":\\d+$", "");
    boolean local = server.getAddress().getAddress().isLoopbackAddress();
    if (local && !LOOPBACK.contains(name) && !name.equals(host)) {
      return false;
    }
    String origin = headers.getFirst("Origin");
    String site = headers.getFirst("Sec-Fetch-Site");
    boolean foreign = site != null && !site.equals("same-origin") && !site.equals("none");
    return !posts || !foreign && (origin == null || origin.equals("http://" + called));
  }

  /** A task as WebShop would give it to who does not ask for one. */
  private String anyTask() {
    synchronized (visits) {
      return Integer.toString(draw.next(random));
    }
  }

  private void start(HttpExchange exchange, String number) throws IOException {
    if (number.equals("any")) {
      start(exchange, anyTask());
      return;
    }
    if (!number.matches("\\d{1,9}") || Integer.parseInt(number) >= tasks.size()) {
      send(exchange, 404, ShopHtml.message("There is no such task."));
      return;
    }
    Visit visit = new Visit(shop, tasks.get(Integer.parseInt(number)));
    // Nobody guesses it, so that nobody acts in another's visit.
    String id = UUID.randomUUID().toString();
    synchronized (visits) {
      visits.put(id, visit);
    }
    redirect(exchange, "/visit/" + id);
  }

  private void visit(HttpExchange exchange, String id, boolean posts) throws IOException {
    Visit visit;
    synchronized (visits) {
      visit = visits.get(id);
    }
    if (visit == null) {
      send(exchange, 404, ShopHtml.message("This visit is over and forgotten."));
      return;
    }
    synchronized (visit) {
      if (!posts) {
        send(exchange, 200, ShopHtml.visit(visit));
        return;
      }
      String body = body(exchange);
      if (body.length() > LONGEST_FORM) {
        send(exchange, 413, ShopHtml.message("This form is too long."));
        return;
      }
      Map<String, String> form = form(body);
      String keywords = form.get("keywords");
      String action = keywords == null ? form.get("action") : "search[" + keywords + "]";
      if (action != null && !visit.over()) {
        visit.act(shop.dialogue(), action);
        if (visit.over()) {
          record.accept(visit.task(), List.copyOf(visit.turns()));
        }
      }
      redirect(exchange, "/visit/" + id);
    }
  }

  /** What was sent, or as much of it as shows that it is too long. */
  private static String body(HttpExchange exchange) throws IOException {
    byte[] sent = exchange.getRequestBody().readNBytes(LONGEST_FORM + 1);
    // Forms are sent in ASCII: as many characters as bytes.
    return new String(sent, StandardCharsets.US_ASCII);
  }

  private static Map<String, String> form(String body) {
    try {
      Map<String, String> form = new HashMap<>();
      for (String field : body.split("&")) {
        int equals = field.indexOf('=');
        if (equals > 0) {
          form.put(
              field.substring(0, equals),
              URLDecoder.decode(field.substring(equals + 1), StandardCharsets.UTF_8));
        }
      }
      return form;
    } catch (IllegalArgumentException e) {
      // Not the percent code of anything: a form that no browser sends.
      return Map.of();
    }
  }

  private static void redirect(HttpExchange exchange, String to) throws IOException {
    exchange.getResponseHeaders().set("Location", to);
    exchange.sendResponseHeaders(303, -1);
  }

  private static void send(HttpExchange exchange, int status, String html) throws IOException {
    byte[] bytes = html.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
