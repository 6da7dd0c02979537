package org.vstar.env.webshop.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.shopping.SearchIndex;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.Goals;

/** Products on disk are the products. */
class StoredProductsTest {

  private static final List<String> FILES = List.of("items.json", "attributes.json", "human.json");

  @TempDir Path folder;

  @BeforeEach
  void copyTheFiles() throws IOException {
    for (String file : FILES) {
      Files.copy(Path.of("../../datasets/webshop-mini", file), folder.resolve(file));
    }
  }

  private ProductFiles files() {
    return new ProductFiles(
        folder.resolve("items.json"),
        folder.resolve("attributes.json"),
        folder.resolve("human.json"));
  }

  private WebShopData stored() {
    return WebShopData.stored(files(), folder.resolve("index"), new PythonRandom(1));
  }

  private WebShopData inMemory() {
    return WebShopData.read(files(), new PythonRandom(1));
  }

  @Test
  void areTheSameAsInMemoryAndFoundTheSame() {
    WebShopData stored = stored();
    WebShopData inMemory = inMemory();
    assertThat(stored.items()).isEqualTo(inMemory.items());
    assertThat(Goals.synthetic(stored, new PythonRandom(2)))
        .isEqualTo(Goals.synthetic(inMemory, new PythonRandom(2)));
    assertThat(Goals.human(stored, new PythonRandom(2)))
        .isEqualTo(Goals.human(inMemory, new PythonRandom(2)));
    for (Item item : inMemory.items()) {
      assertThat(stored.item(item.asin())).contains(item);
      assertThat(stored.price(item)).isEqualTo(inMemory.price(item));
    }
    assertThat(stored.item("V999999999")).isEmpty();
    try (SearchIndex disk = stored.products().search();
        SearchIndex memory = inMemory.products().search()) {
      for (Goal goal : Goals.synthetic(inMemory, new PythonRandom(2))) {
        assertThat(disk.search(goal.instruction())).isEqualTo(memory.search(goal.instruction()));
      }
    }
  }

  @Test
  void areIndexedOnceAndTravelByTheirPath() throws Exception {
    WebShopData first = stored();
    var made = Files.getLastModifiedTime(folder.resolve("index/about.json"));
    WebShopData second = stored();
    assertThat(Files.getLastModifiedTime(folder.resolve("index/about.json"))).isEqualTo(made);
    assertThat(second.fingerprint()).isEqualTo(first.fingerprint());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(first);
    }
    assertThat(bytes.size()).isLessThan(10_000);
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      WebShopData arrived = (WebShopData) in.readObject();
      assertThat(arrived.items()).isEqualTo(first.items());
      assertThat(arrived.fingerprint()).isEqualTo(first.fingerprint());
    }
  }

  @Test
  void ofOtherFilesAreRefusedAndTheIndexIsLeftAlone() throws IOException {
    stored();
    MiniCatalogue.write(folder, 121, 0);
    assertThatThrownBy(this::stored)
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("index")
        .hasMessageContaining("was made from other files");
    assertThat(folder.resolve("index/about.json")).exists();
  }

  @Test
  void aKilledProcessLeavesNoIndexAndAForeignFolderIsNotTouched() throws IOException {
    // What a process that was killed half way leaves.
    Path partial = Files.createDirectories(folder.resolve("index.partial123/search"));
    Files.writeString(partial.resolve("write.lock"), "");
    assertThat(stored().items()).hasSize(120);
    Files.delete(folder.resolve("index/about.json"));
    assertThatThrownBy(this::stored)
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("is no index of products");
    assertThat(folder.resolve("index/items.jsonl")).exists();
  }

  @Test
  void interruptedReadersDoNotTakeThemFromOthers() throws Exception {
    WebShopData stored = stored();
    Thread reader =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              stored.items().get(5);
            });
    reader.start();
    reader.join();
    assertThat(stored.items()).isEqualTo(inMemory().items());
  }

  @Test
  void aCutIndexIsRefused() throws IOException {
    stored();
    Path entries = folder.resolve("index/entries.bin");
    byte[] rejoin = Files.readAllBytes(entries);
    Files.write(entries, java.util.Arrays.copyOf(rejoin, rejoin.length - 1));
    assertThatThrownBy(this::stored)
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("entries.bin");
  }

  @Test
  void aChangedByteOfTheIndexIsNoticedBeforeAGoalOrPriceIsMadeOfIt() throws IOException {
    stored();
    for (String name : List.of("entries.bin", "items.jsonl", "about.json")) {
      Path file = folder.resolve("index/" + name);
      byte[] whole = Files.readAllBytes(file);
      for (int at = 20; at < whole.length; at += whole.length / 15) {
        byte[] changed = whole.clone();
        changed[at] ^= 1;
        Files.write(file, changed);
        assertThatThrownBy(() -> stored().items().forEach(Item::asin))
            .as("%s, byte %d", name, at)
            .isInstanceOf(InvalidInputException.class)
            .hasMessageContaining("delete");
      }
      Files.write(file, whole);
    }
    assertThat(stored().items()).hasSize(120);
  }

  @Test
  void aBrokenFileLeavesNoIndex() throws IOException {
    String good = Files.readString(folder.resolve("items.json"));
    Files.writeString(folder.resolve("items.json"), good.substring(0, good.length() / 2));
    assertThatThrownBy(this::stored)
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("items.json");
    try (var files = Files.list(folder)) {
      assertThat(files.filter(f -> f.getFileName().toString().startsWith("index"))).isEmpty();
    }
    Files.writeString(folder.resolve("items.json"), good);
    assertThat(stored().items()).hasSize(120);
  }
}
