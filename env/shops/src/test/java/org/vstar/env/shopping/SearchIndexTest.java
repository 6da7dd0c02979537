package org.vstar.env.shopping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.env.shopping.SearchIndex.Document;
import org.vstar.env.shopping.SearchIndex.Hit;
import org.vstar.env.shopping.SearchIndex.Ranking;

class SearchIndexTest {

  private static final Ranking RANKING =
      new Ranking(new WhitespaceAnalyzer(), new BM25Similarity(), 3);
  private static final List<Document> DOCUMENTS =
      List.of(
          new Document("d", "red mug", Map.of("kind", "mug")),
          new Document("b", "red red mug", Map.of("kind", "mug")),
          new Document("a", "blue lamp", Map.of("kind", "lamp")),
          new Document("c", "blue lamp", Map.of("kind", "lamp")),
          new Document("e", "blue lamp", Map.of("kind", "lamp")));

  private static List<String> ids(SearchIndex index, String query) {
    return index.search(query).stream().map(Hit::id).toList();
  }

  @Test
  void theBestComeFirstTiesGoByIdAndNoMoreThanAsked() {
    try (SearchIndex index = SearchIndex.inMemory(RANKING, DOCUMENTS)) {
      assertThat(ids(index, "red")).containsExactly("b", "d");
      assertThat(ids(index, "lamp")).containsExactly("a", "c", "e");
      assertThat(ids(index, "lamp mug")).hasSize(3);
      assertThat(ids(index, "zeppelin")).isEmpty();
      assertThat(ids(index, "")).isEmpty();
      assertThat(index.withValue("kind", "lamp")).containsExactly("a", "c", "e");
      assertThat(index.withValue("kind", "none")).isEmpty();
    }
  }

  @Test
  void aTermThatIsInTheQueryTwiceCountsTwice() {
    try (SearchIndex index = SearchIndex.inMemory(RANKING, DOCUMENTS)) {
      float once = index.search("blue").get(0).score();
      assertThat(index.search("blue blue").get(0).score()).isEqualTo(2 * once);
    }
  }

  @Test
  void onDiskItFindsTheSameAndAnUnfinishedIndexIsRefused(@TempDir Path folder) throws IOException {
    Path done = folder.resolve("done");
    try (SearchIndex.Writer writer = new SearchIndex.Writer(RANKING, done)) {
      for (Document document : DOCUMENTS) {
        writer.add(document);
      }
      writer.finish();
    }
    try (SearchIndex disk = SearchIndex.open(RANKING, done);
        SearchIndex memory = SearchIndex.inMemory(RANKING, DOCUMENTS)) {
      assertThat(disk.search("blue red lamp")).isEqualTo(memory.search("blue red lamp"));
    }
    Path cut = folder.resolve("cut");
    try (SearchIndex.Writer writer = new SearchIndex.Writer(RANKING, cut)) {
      writer.add(DOCUMENTS.get(0));
    }
    assertThatThrownBy(() -> SearchIndex.open(RANKING, cut))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("cannot open the search index");
  }
}
