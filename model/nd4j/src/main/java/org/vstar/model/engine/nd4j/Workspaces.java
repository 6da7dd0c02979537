package org.vstar.model.engine.nd4j;

import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.memory.conf.WorkspaceConfiguration;
import org.nd4j.linalg.api.memory.enums.AllocationPolicy;
import org.nd4j.linalg.api.memory.enums.LearningPolicy;
import org.nd4j.linalg.api.memory.enums.ResetPolicy;
import org.nd4j.linalg.api.memory.enums.SpillPolicy;
import org.nd4j.linalg.factory.Nd4j;

/** Memory of a pass, which the next one uses again: ND4J's arrays are not on Java's heap. */
final class Workspaces {

  private static final WorkspaceConfiguration GROWING =
      WorkspaceConfiguration.builder()
          .initialSize(0)
          .overallocationLimit(0.2)
          .policyAllocation(AllocationPolicy.OVERALLOCATE)
          .policyLearning(LearningPolicy.FIRST_LOOP)
          .policyReset(ResetPolicy.BLOCK_LEFT)
          .policySpill(SpillPolicy.REALLOCATE)
          .build();

  private Workspaces() {}

  /** What is made until this is closed is gone then. Each thread has its own. */
  static MemoryWorkspace pass() {
    return Nd4j.getWorkspaceManager().getAndActivateWorkspace(GROWING, "vstar-pass");
  }

  /** What is made until this is closed stays. */
  static MemoryWorkspace outside() {
    return Nd4j.getMemoryManager().scopeOutOfWorkspaces();
  }
}
