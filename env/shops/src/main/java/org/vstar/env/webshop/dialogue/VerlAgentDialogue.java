package org.vstar.env.webshop.dialogue;

import java.util.ArrayList;
import java.util.List;
import org.vstar.env.AnswerFormat;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;

/**
 * verl-agent's prompts. Each shows the last two turns again, as it does there, where a prompt is
 * all that an agent sees; here it stands behind the earlier ones.
 */
public record VerlAgentDialogue() implements Dialogue {

  @Override
  public String page(Session session) {
    return VerlAgentFormat.observation(session.page(), session.goal().instruction());
  }

  @Override
  public String observation(Session session, List<PastTurn> pastTurns) {
    return VerlAgentFormat.prompt(
        session.page(),
        session.goal().instruction(),
        pastTurns.stream().map(s -> new VerlAgentFormat.PastTurn(s.page(), s.action())).toList());
  }

  @Override
  public AnswerFormat answerFormat() {
    return AnswerFormat.ACTION;
  }

  @Override
  public List<String> phrases() {
    List<String> phrases = new ArrayList<>(Dialogue.super.phrases());
    Page empty = new Page(true, List.of());
    phrases.add(VerlAgentFormat.prompt(empty, "", List.of()));
    phrases.add(VerlAgentFormat.prompt(empty, "", List.of(new VerlAgentFormat.PastTurn("", ""))));
    return phrases;
  }
}
