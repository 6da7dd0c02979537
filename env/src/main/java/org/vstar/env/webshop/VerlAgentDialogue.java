package org.vstar.env.webshop;

import java.util.ArrayList;
import java.util.List;
import org.vstar.env.AnswerFormat;

/**
 * verl-agent's prompts. Each shows the last two turns again, as it does there, where a prompt is
 * all that an agent sees; here it stands behind the earlier ones.
 */
record VerlAgentDialogue() implements Dialogue {

  @Override
  public String page(Session session) {
    return VerlAgentFormat.observation(session.page(), session.goal().instruction());
  }

  @Override
  public String observation(Session session, List<Said> said) {
    return VerlAgentFormat.prompt(
        session.page(),
        session.goal().instruction(),
        said.stream().map(s -> new VerlAgentFormat.Past(s.page(), s.action())).toList());
  }

  @Override
  public AnswerFormat answers() {
    return AnswerFormat.ACTION;
  }

  @Override
  public List<String> phrases() {
    List<String> phrases = new ArrayList<>(Dialogue.super.phrases());
    Page empty = new Page(true, List.of());
    phrases.add(VerlAgentFormat.prompt(empty, "", List.of()));
    phrases.add(VerlAgentFormat.prompt(empty, "", List.of(new VerlAgentFormat.Past("", ""))));
    return phrases;
  }
}
