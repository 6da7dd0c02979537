package org.vstar.spark.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.commonmark.node.Node;
import org.commonmark.renderer.html.AttributeProvider;
import org.commonmark.renderer.html.HtmlRenderer;

/** All pages of the project and what they link to. */
final class Site {

  /** The pages that come first, in this order; the others follow by path. */
  private static final List<String> FIRST = List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md");

  /** Where pages are, and what the navigation calls them. */
  private static final Map<String, String> SECTIONS = sections();

  private final Path project;
  private final Map<Path, Page> pages = new LinkedHashMap<>();

  private static Map<String, String> sections() {
    Map<String, String> sections = new LinkedHashMap<>();
    sections.put("", "Vstar");
    sections.put("env/src/site/markdown", "Environments");
    sections.put("model/src/site/markdown", "Policies and training");
    sections.put("spark-jobs/src/site/markdown", "Jobs and tables");
    sections.put("datasets", "Data");
    sections.put("notebooks", "Lab books");
    return sections;
  }

  /** Reads all pages. */
  Site(Path project) throws IOException {
    this.project = project.toAbsolutePath().normalize();
    for (String first : FIRST) {
      add(Path.of(first));
    }
    for (String section : SECTIONS.keySet()) {
      if (!section.isEmpty()) {
        try (Stream<Path> found = Files.walk(this.project.resolve(section))) {
          found
              .filter(file -> file.toString().endsWith(".md"))
              .map(this.project::relativize)
              // A section's overview comes before what it links to.
              .sorted(
                  Comparator.comparing((Path file) -> !file.endsWith("index.md"))
                      .thenComparing(Comparator.naturalOrder()))
              .forEach(this::add);
        }
      }
    }
  }

  private void add(Path path) {
    try {
      pages.put(path, Page.read(project, path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int size() {
    return pages.size();
  }

  /** A link that leads to a file or page of the project. */
  private record Target(Path path, String anchor) {}

  /** Where a link of a page leads, or null if it leaves the project. */
  private static Target target(Page page, String written) {
    if (written.matches("[a-z]+:.*")) {
      return null;
    }
    int hash = written.indexOf('#');
    String file = hash < 0 ? written : written.substring(0, hash);
    Path path = file.isEmpty() ? page.path() : page.path().resolveSibling(file).normalize();
    return new Target(path, hash < 0 ? "" : written.substring(hash + 1));
  }

  /** What is wrong with the links, a line each; none if all lead somewhere. */
  List<String> brokenLinks() {
    List<String> broken = new ArrayList<>();
    for (Page page : pages.values()) {
      for (String written : page.targets()) {
        Target target = target(page, written);
        if (target == null) {
          continue;
        }
        Page linked = pages.get(target.path);
        if (!Files.exists(project.resolve(target.path))) {
          broken.add(page.path() + ": " + written + " leads to no file");
        } else if (!target.anchor.isEmpty()
            && (linked == null || !linked.anchors().contains(target.anchor))) {
          broken.add(page.path() + ": " + written + " leads to no heading");
        }
      }
    }
    return broken;
  }

  /** Writes every page as HTML, and the files that pages link to. */
  void write(Path folder) throws IOException {
    for (Page page : pages.values()) {
      Path file = folder.resolve(html(page.path()));
      Files.createDirectories(file.getParent());
      Files.writeString(file, document(page));
      for (String written : page.targets()) {
        Target target = target(page, written);
        if (target != null && Files.isRegularFile(project.resolve(target.path))) {
          copy(target.path, folder);
        }
      }
    }
    try (var style = Site.class.getResourceAsStream("site.css")) {
      Files.copy(style, folder.resolve("site.css"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private void copy(Path path, Path folder) throws IOException {
    if (!pages.containsKey(path)) {
      Path to = folder.resolve(path);
      Files.createDirectories(to.getParent());
      Files.copy(project.resolve(path), to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Where a page stands in the site. */
  private static Path html(Path page) {
    String name = page.toString();
    return name.equals("README.md")
        ? Path.of("index.html")
        : Path.of(name.substring(0, name.length() - ".md".length()) + ".html");
  }

  private String document(Page page) throws IOException {
    HtmlRenderer renderer =
        HtmlRenderer.builder()
            .extensions(Page.EXTENSIONS)
            .attributeProviderFactory(context -> links(page))
            .build();
    try (var template = Site.class.getResourceAsStream("page.html")) {
      return new String(template.readAllBytes(), StandardCharsets.UTF_8)
          .replace("@TITLE@", escaped(page.title()))
          .replace("@ROOT@", root(page))
          .replace("@NAVIGATION@", navigation(page))
          .replace("@BODY@", renderer.render(page.document()));
    }
  }

  /** Links to pages lead to their HTML. */
  private AttributeProvider links(Page page) {
    return (Node node, String tag, Map<String, String> attributes) -> {
      String written = attributes.get("href");
      Target target = written == null ? null : target(page, written);
      if (target != null && pages.containsKey(target.path)) {
        String anchor = target.anchor.isEmpty() ? "" : "#" + target.anchor;
        attributes.put("href", relative(page, target.path) + anchor);
      }
    };
  }

  private static String relative(Page from, Path to) {
    Path folder = html(from.path()).getParent();
    Path target = html(to);
    return (folder == null ? target : folder.relativize(target)).toString();
  }

  private static String root(Page page) {
    return "../".repeat(page.path().getNameCount() - 1);
  }

  private String navigation(Page page) {
    Map<String, List<Page>> bySection = new TreeMap<>();
    for (Page each : pages.values()) {
      bySection.computeIfAbsent(section(each), s -> new ArrayList<>()).add(each);
    }
    StringBuilder list = new StringBuilder();
    SECTIONS.forEach(
        (section, title) -> {
          list.append("<h2>").append(title).append("</h2><ul>\n");
          for (Page each : bySection.getOrDefault(section, List.of())) {
            list.append("<li><a href=\"")
                .append(relative(page, each.path()))
                .append(each == page ? "\" aria-current=\"page\">" : "\">")
                .append(escaped(each.title()))
                .append("</a></li>\n");
          }
          list.append("</ul>\n");
        });
    return list.toString();
  }

  private static String section(Page page) {
    return SECTIONS.keySet().stream()
        .filter(section -> !section.isEmpty() && page.path().startsWith(section))
        .findFirst()
        .orElse("");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
