package org.vstar.common;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** One derivation of {@link Seeds}, for Java Flight Recorder. */
@Name("org.vstar.Seed")
@Label("Seed")
@Category("Vstar")
@Description("A seed that was derived for one purpose")
@Enabled(false)
final class SeedEvent extends Event {
  @Label("Parent")
  long parent;

  @Label("Purpose")
  String purpose;

  @Label("Subject")
  String subject;

  @Label("Seed")
  long seed;
}
