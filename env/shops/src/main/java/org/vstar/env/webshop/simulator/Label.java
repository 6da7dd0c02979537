package org.vstar.env.webshop.simulator;

import java.util.Locale;

/** The words of the shop that agents find their way by: its buttons, and two fields. */
public enum Label {
  SEARCH("Search"),
  BACK_TO_SEARCH("Back to Search"),
  PREVIOUS("< Prev"),
  NEXT("Next >"),
  DESCRIPTION("Description"),
  FEATURES("Features"),
  REVIEWS("Reviews"),
  ATTRIBUTES("Attributes"),
  BUY("Buy Now");

  /** The first field of the search page, which no other page has. */
  public static final String SHOP = "WebShop";

  /** The last field before a product's buttons. */
  public static final String RATING = "Rating: N.A.";

  private final String shown;

  Label(String shown) {
    this.shown = shown;
  }

  /** As pages show it. */
  public String shown() {
    return shown;
  }

  /** As it is clicked. */
  public String clicked() {
    return shown.toLowerCase(Locale.ROOT);
  }
}
