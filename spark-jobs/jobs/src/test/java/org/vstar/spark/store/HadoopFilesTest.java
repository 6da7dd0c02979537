package org.vstar.spark.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class HadoopFilesTest {

  private static final String KEY = "fs.vstar.test";

  @Test
  void settingsThatOneStoreChangesAreNotAnothers() {
    Configuration first = HadoopFiles.settings();
    first.set(KEY, "changed");
    assertThat(HadoopFiles.settings().get(KEY)).isNull();
    assertThat(HadoopFiles.settings().get("fs.defaultFS")).isEqualTo(first.get("fs.defaultFS"));
  }

  @Test
  void settingsFindClassesByTheThreadThatAsks() {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    HadoopFiles.settings();
    try {
      ClassLoader own = new ClassLoader(before) {};
      Thread.currentThread().setContextClassLoader(own);
      assertThat(HadoopFiles.settings().getClassLoader()).isSameAs(own);
      Thread.currentThread().setContextClassLoader(null);
      assertThat(HadoopFiles.settings().getClassLoader()).isNotNull();
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }
}
