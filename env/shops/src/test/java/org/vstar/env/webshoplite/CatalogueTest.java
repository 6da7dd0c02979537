package org.vstar.env.webshoplite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;

class CatalogueTest {

  static final Path FILE = Path.of("../../datasets/webshop-lite/catalogue.jsonl");

  private final Catalogue catalogue = Catalogue.read(FILE);

  private List<String> found(String query) {
    return catalogue.search(query).stream().map(Item::title).toList();
  }

  @Test
  void generatorReproducesTheFileByteForByte() throws IOException {
    assertThat(CatalogueGenerator.generate()).isEqualTo(Files.readString(FILE));
  }

  @Test
  void holds497ProductsInEightCategoriesWithUniqueTitles() {
    assertThat(catalogue.products()).hasSize(497);
    assertThat(catalogue.categories())
        .containsExactly(
            "Accessories",
            "Apparel",
            "Books",
            "Electronics",
            "Fitness",
            "Home",
            "Kitchen",
            "Shoes");
    assertThat(catalogue.products().stream().map(Item::title)).doesNotHaveDuplicates();
    assertThat(catalogue.products())
        .allSatisfy(
            p -> {
              assertThat(p.tags()).isNotEmpty();
              assertThat(p.attributes()).isNotEmpty();
              assertThat(p.price()).isPositive();
            });
  }

  @Test
  void holdsTheProductsThatPublishedExamplesName() {
    assertThat(catalogue.products().get(201).title()).isEqualTo("Classic Blanket");
    assertThat(catalogue.products().get(378).title()).isEqualTo("Turquoise Backpack");
    assertThat(catalogue.products().get(31).title()).isEqualTo("Black Loafers");
    assertThat(catalogue.products().stream().map(Item::title)).contains("Red Running Shoes");
    assertThat(catalogue.products())
        .anyMatch(p -> p.category().equals("Kitchen") && p.title().endsWith("Measuring Cups"));
  }

  @Test
  void searchFindsSevenBlanketsAndEightRunningThings() {
    assertThat(found("blanket")).hasSize(7).allMatch(t -> t.contains("Blanket"));
    assertThat(found("running")).hasSize(8);
  }

  @Test
  void searchIgnoresCasePunctuationAndPluralAndKnowsSynonyms() {
    assertThat(found("BLANKETS!")).isEqualTo(found("blanket"));
    assertThat(found("sneaker")).isEqualTo(found("running shoe")).isNotEmpty();
    assertThat(found("rucksack")).isEqualTo(found("backpack")).isNotEmpty();
    assertThat(found("?!")).isEmpty();
    assertThat(found("zeppelin")).isEmpty();
  }

  @Test
  void searchByFullTitleShowsTheProductFirst() {
    assertThat(catalogue.products())
        .allSatisfy(p -> assertThat(catalogue.search(p.title()).get(0)).isEqualTo(p));
  }

  @Test
  void shufflingDealsNewIdsAndTitlesButKeepsTheKindsAndIsRepeatable() {
    Catalogue shuffled = catalogue.shuffled(5);
    assertThat(shuffled.fingerprint()).isEqualTo(catalogue.shuffled(5).fingerprint());
    assertThat(shuffled.fingerprint()).isNotEqualTo(catalogue.shuffled(6).fingerprint());
    assertThat(shuffled.products()).hasSize(497);
    assertThat(kinds(shuffled)).isEqualTo(kinds(catalogue));
    Set<String> both = new HashSet<>();
    catalogue.products().forEach(p -> both.add(p.id() + p.title()));
    long same = shuffled.products().stream().filter(p -> both.contains(p.id() + p.title())).count();
    assertThat(same).isLessThan(20);
  }

  private static Set<String> kinds(Catalogue c) {
    return c.products().stream()
        .map(p -> p.category() + p.title().substring(p.title().indexOf(' ')))
        .collect(Collectors.toSet());
  }

  @Test
  void malformedLineIsNamedByFileAndNumber(@TempDir Path folder) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(FILE));
    lines.set(4, lines.get(4).substring(0, 20));
    Path broken = Files.write(folder.resolve("broken.jsonl"), lines);
    assertThatThrownBy(() -> Catalogue.read(broken))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("broken.jsonl:5: not a product")
        .hasMessageContaining("expected id, title");
  }

  @Test
  void missingFieldUnknownFieldRepeatedIdAndRepeatedTitleAreRefused(@TempDir Path folder)
      throws IOException {
    List<String> lines = Files.readAllLines(FILE);
    assertRefused(folder, replaced(lines, 2, lines.get(2).replace("\"price\"", "\"cost\"")), ":3:");
    assertRefused(folder, replaced(lines, 2, lines.get(3)), "id 2 is missing");
    assertRefused(
        folder,
        replaced(lines, 2, lines.get(3).replace("\"id\":3,", "\"id\":2,")),
        "is there twice");
  }

  private static List<String> replaced(List<String> lines, int at, String line) {
    List<String> copy = new ArrayList<>(lines);
    copy.set(at, line);
    return copy;
  }

  private static void assertRefused(Path folder, List<String> lines, String message)
      throws IOException {
    Path file = Files.write(folder.resolve("c.jsonl"), lines);
    assertThatThrownBy(() -> Catalogue.read(file))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(message);
  }
}
