package org.vstar.env.webshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.python.PythonText;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.catalog.ProductFiles;
import org.vstar.env.webshop.catalog.WebShopData;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.Goals;
import org.vstar.env.webshop.reward.OpenNlpTagger;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;
import org.vstar.env.webshop.simulator.WebShop;

/** What no product of the published files has, but their format allows. */
class OddProductsTest {

  private static final String LAMP =
      """
      [{"asin": "B000000001", "name": "lamp", "full_description": "   ",
        "small_description": [" ", "bright"], "pricing": "$5", "query": "ΟΔΟΣ Lamp",
        "category": "home", "product_category": "a › b",
        "customization_options": %s}]
      """;

  @TempDir Path folder;

  private WebShopData data(String options, String attributes) throws IOException {
    Files.writeString(folder.resolve("items.json"), LAMP.formatted(options));
    Files.writeString(folder.resolve("attributes.json"), attributes);
    Files.writeString(folder.resolve("human.json"), "{}");
    return WebShopData.read(
        new ProductFiles(
            folder.resolve("items.json"),
            folder.resolve("attributes.json"),
            folder.resolve("human.json")),
        new PythonRandom(1));
  }

  private Session opened(WebShopData data, boolean original) {
    Item lamp = data.items().get(0);
    Goal goal = new Goal(lamp, "a lamp", List.of(), 10, Map.of(), List.of(), 1);
    Session session = new WebShop(data, new OpenNlpTagger(), true).session(goal, "0", original);
    session.step("search[lamp]");
    session.step("click[b000000001]");
    return session;
  }

  @Test
  void aValueCalledLikeAButtonIsThatButtonInTheOriginalEvenIfThePageHasNoSuch() throws IOException {
    WebShopData data = data("{\"Tab\": [{\"value\": \"Buy Now\"}, {\"value\": \"Next >\"}]}", "{}");
    for (boolean original : List.of(true, false)) {
      assertThat(opened(data, original).step("click[buy now]").done()).isTrue();
    }
    Session original = opened(data, true);
    assertThat(original.step("click[next >]").valid()).isTrue();
    assertThat(original.kind()).isEqualTo(Session.Kind.RESULTS);
    Session sane = opened(data, false);
    assertThat(sane.step("click[next >]").valid()).isTrue();
    assertThat(sane.options()).isEqualTo(Map.of("tab", "next >"));
  }

  @Test
  void blankTextIsShownAsOneSpaceAndLayoutIsNot() throws IOException {
    Session session = opened(data("{}", "{}"), true);
    session.step("click[features]");
    assertThat(session.page().richText()).endsWith("[button] < Prev [button_]\n \n bright\n");
    assertThat(session.page().text()).endsWith("< Prev [SEP]  [SEP] bright");
    session.step("click[< prev]");
    session.step("click[description]");
    assertThat(session.page().richText()).endsWith("[button] < Prev [button_]\n \n");
    assertThat(new Page(false, List.of(new Page.Text(" \n "))).richText()).isEmpty();
  }

  @Test
  void onlyAProductThatTheAttributesFileDoesNotKnowGetsTheDummy() throws IOException {
    assertThat(data("{}", "{}").items().get(0).attributes()).containsExactly("DUMMY_ATTR");
    WebShopData none = data("{}", "{\"B000000001\": {\"attributes\": []}}");
    assertThat(none.items().get(0).attributes()).isEmpty();
    Session session = opened(data("{}", "{\"B000000001\": {\"attributes\": [\"red\"]}}"), true);
    session.step("click[attributes]");
    assertThat(session.page().richText()).contains("\n red\nhome\n");
  }

  @Test
  void groupsWithoutAListAreKeptEmptyLeftOutOrRefused() throws IOException {
    Item item = data("{\"Size\": \"\", \"Color\": null}", "{}").items().get(0);
    assertThat(item.options()).isEqualTo(Map.of("size", List.of()));
    assertThatThrownBy(() -> data("{\"Size\": \"big\"}", "{}"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("items.json")
        .hasMessageContaining("options 'Size' are not a list");
  }

  @Test
  void wordsAreLoweredAsPythonDoes() throws IOException {
    assertThat(data("{}", "{}").items().get(0).query()).isEqualTo("οδος lamp");
    assertThat(List.of("ΑΣ'Β", "한국Σ", "ΣΑ", "ΑΣ.", "Α.Σ1", "Σ").stream().map(PythonText::lower))
        .containsExactly("ασ'β", "한국σ", "σα", "ας.", "α.ς1", "σ");
  }

  @Test
  void numbersHalfWayAreRoundedToEvenAsPythonDoes() {
    assertThat(PythonText.text(676421592494734.25)).isEqualTo("676421592494734.2");
  }

  @Test
  void anInstructionWithoutAttributesIsAnErrorThatNamesTheProduct() throws IOException {
    WebShopData data = data("{}", "{\"B000000001\": {\"instruction\": \"find me a lamp\"}}");
    assertThatThrownBy(() -> Goals.synthetic(data, new PythonRandom(1)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(
            "product B000000001 has an instruction but no instruction_attributes");
  }
}
