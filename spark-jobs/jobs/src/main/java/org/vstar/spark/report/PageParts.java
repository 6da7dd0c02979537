package org.vstar.spark.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a page is put together from. */
final class PageParts {

  private static final Pattern PLACE = Pattern.compile("\\$\\{(\\w+)}");
  private static final String CHART_JS = "org.webjars.npm/chart.js";

  private PageParts() {}

  /** Chart.js, in the version that the build names. */
  static String chartLibrary() throws IOException {
    Properties jar = new Properties();
    try (InputStream in = open("/META-INF/maven/" + CHART_JS + "/pom.properties")) {
      jar.load(in);
    }
    String version = jar.getProperty("version");
    return read("/META-INF/resources/webjars/chart.js/" + version + "/dist/chart.umd.min.js");
  }

  /** A page of our own with its places, <code>${name}</code>, filled. */
  static String fill(String name, Map<String, String> parts) throws IOException {
    Matcher place = PLACE.matcher(read(name));
    return place.replaceAll(found -> Matcher.quoteReplacement(parts.get(found.group(1))));
  }

  /** A file of the class path, beside this class unless its name begins with a slash. */
  static String read(String name) throws IOException {
    try (InputStream in = open(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static InputStream open(String name) {
    InputStream in = PageParts.class.getResourceAsStream(name);
    if (in == null) {
      throw new IllegalStateException("not on the class path: " + name);
    }
    return in;
  }
}
