package org.vstar.spark.warmstart;

import org.vstar.model.imitation.Imitation;
import org.vstar.model.imitation.ImitationConfig;
import org.vstar.model.imitation.ImitationKind;
import org.vstar.model.imitation.Minibatches;
import org.vstar.model.policy.Policy;
import org.vstar.spark.run.WarmStartConfig;

/**
 * {@code warmStart.imitation: engine}: the policy's own engine computes gradients and steps. One
 * replica trains on the driver, several on executors.
 */
public final class EngineImitation implements ImitationKind {

  @Override
  public String kind() {
    return WarmStartConfig.BY_ENGINE;
  }

  @Override
  public Imitation start(Policy start, ImitationConfig config, Minibatches minibatches) {
    return config.replicas() == 1
        ? new DriverImitation(start, config, minibatches)
        : new ReplicaImitation(start, config, minibatches);
  }
}
