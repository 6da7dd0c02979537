package org.vstar.spark.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

class SparkMetricsIT {

  @Test
  void sparksPrometheusServletAndJmxShowTheNewestNumbersOfAJob() throws Exception {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.port", "0")
            .config("spark.app.id", "seen")
            .config(
                "spark.metrics.conf.*.sink.prometheusServlet.class",
                "org.apache.spark.metrics.sink.PrometheusServlet")
            .config("spark.metrics.conf.*.sink.prometheusServlet.path", "/metrics/prometheus")
            .config("spark.metrics.conf.*.sink.jmx.class", "org.apache.spark.metrics.sink.JmxSink")
            .getOrCreate()) {
      String url = spark.sparkContext().uiWebUrl().get() + "/metrics/prometheus";
      SparkMetrics metrics = SparkMetrics.register();
      metrics.scalars("train", 6, Map.of("success", 0.25));
      metrics.scalars(
          "train",
          7,
          Map.of("success", 0.5, "tokens", 90.0, "rollout_seconds", 1.0, "update_seconds", 2.0));
      String page = get(url);
      assertThat(page)
          .containsPattern("vstar_train_success_Value\\S* 0.5\n")
          .containsPattern("vstar_train_step_Value\\S* 7.0\n")
          .containsPattern("vstar_train_tokens_per_second_Value\\S* 30.0\n");
      MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
      var names = beans.queryNames(new ObjectName("metrics:name=*vstar.train.success,*"), null);
      assertThat(names).hasSize(1);
      assertThat(beans.getAttribute(names.iterator().next(), "Value")).isEqualTo(0.5);
      SparkMetrics rollouts = SparkMetrics.register();
      rollouts.scalars("rollouts", 1, Map.of("done", 3.0));
      assertThat(get(url)).contains("vstar_rollouts_done");
      rollouts.close();
      assertThat(get(url)).contains("vstar_train_success").doesNotContain("vstar_rollouts");
      metrics.close();
      assertThat(get(url)).doesNotContain("vstar_train").contains("jvm");
    }
  }

  private static String get(String url) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
    HttpClient client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    return client.send(request, BodyHandlers.ofString()).body();
  }
}
