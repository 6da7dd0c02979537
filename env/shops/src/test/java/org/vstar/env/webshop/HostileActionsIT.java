package org.vstar.env.webshop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.webshop.dialogue.WebShopEpisode;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;

/** Whatever an agent writes, the shop has an answer. */
@Timeout(120)
class HostileActionsIT {

  private static final int ACTIONS = 1_000_000;
  private static final List<String> BEGINNINGS =
      List.of("", "", "search[", "click[", "search", "click", "[", "]", "open ", "choose ", "<r>");
  private static final List<String> WORDS =
      List.of(
          "buy now", "back to search", "< prev", "next >", "features", "lamp", "<q> lamps", "<c>");
  private static final String ALPHABET =
      "[]<>searchclick bu\n\t\r\u0000\u0007\u001b\u0085\u00a0\u2028\u202eé漢\ud83d\ude00\ud83d|*?+^$(){}\\\"'";

  private static WebShopEnvironment shop(
      WebShopConfig.Prompts prompts, WebShopConfig.Compat compat) {
    return MiniShop.open(prompts, compat, -0.1);
  }

  /** Something like an action; now and then what a page does offer, cut or lengthened or rejoin. */
  private static String action(SplittableRandom random, Page page) {
    List<String> there = List.copyOf(page.clickables().keySet());
    if (!there.isEmpty() && random.nextInt(3) == 0) {
      String action = "click[" + any(there, random) + "]";
      return switch (random.nextInt(6)) {
        case 0 -> action.substring(random.nextInt(action.length()));
        case 1 -> action + ALPHABET;
        default -> action;
      };
    }
    StringBuilder action = new StringBuilder(any(BEGINNINGS, random));
    if (random.nextInt(8) == 0) {
      action.append(any(WORDS, random));
    } else {
      for (int n = random.nextInt(16); n > 0; n--) {
        action.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
      }
    }
    return action.append(random.nextInt(3) == 0 ? "]" : "").toString();
  }

  private static String any(List<String> some, SplittableRandom random) {
    return some.get(random.nextInt(some.size()));
  }

  @Test
  void aMillionActionsAreDoneOrChangeNothing() {
    WebShopEnvironment shop = shop(WebShopConfig.Prompts.WEBSHOP, WebShopConfig.Compat.ORIGINAL);
    Session session = shop.shop().session(shop.split().test().get(0), "0", true);
    SplittableRandom random = new SplittableRandom(1);
    int valid = 0;
    int bought = 0;
    for (int i = 0; i < ACTIONS; i++) {
      Page before = session.page();
      // Now and then something sensible, so that every kind of page is reached.
      String action = i % 20 == 0 ? "search[lamp]" : action(random, before);
      Session.Step step = session.step(action);
      valid += step.valid() ? 1 : 0;
      bought += step.done() ? 1 : 0;
      boolean defined = step.valid() ? !session.page().text().isEmpty() : session.page() == before;
      if (!defined || !(step.reward() >= 0 && step.reward() <= 1)) {
        throw new AssertionError("action " + i + ": '" + action + "' gives " + step);
      }
    }
    assertThat(valid).isBetween(ACTIONS / 20, ACTIONS / 2);
    assertThat(bought).isGreaterThan(ACTIONS / 1000);
  }

  @ParameterizedTest
  @EnumSource(WebShopConfig.Prompts.class)
  void everyDialogueAnswersThem(WebShopConfig.Prompts prompts) {
    WebShopEnvironment shop = shop(prompts, WebShopConfig.Compat.SANE);
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 2_000; i++) {
      WebShopEpisode episode = shop.start(shop.tasks(Split.TEST).get(i % 40));
      for (int turn = 0; turn < 15; turn++) {
        Outcome outcome = episode.step(action(random, episode.session().page()));
        assertThat(episode.observation()).isNotEmpty();
        if (outcome.done()) {
          break;
        }
        assertThat(outcome.reward()).isEqualTo(outcome.valid() ? 0 : -0.1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(WebShopConfig.Prompts.class)
  void aMegabyteIsReadInNoTime(WebShopConfig.Prompts prompts) {
    WebShopEnvironment shop = shop(prompts, WebShopConfig.Compat.SANE);
    WebShopEpisode episode = shop.start(shop.tasks(Split.TEST).get(0));
    for (String megabyte :
        List.of(
            "[".repeat(1 << 20),
            "]".repeat(1 << 20),
            "search[" + "a ".repeat(1 << 19) + "]",
            "search " + "1 . ' ".repeat(1 << 18),
            "search[" + "Σ".repeat(1 << 20) + "]",
            "choose " + " ".repeat(1 << 20) + "x",
            "open " + "9".repeat(1 << 20),
            "click[" + "\u0000".repeat(1 << 20) + "]")) {
      episode.step(megabyte);
      assertThat(episode.observation()).isNotEmpty();
    }
  }
}
