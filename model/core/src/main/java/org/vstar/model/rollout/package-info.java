/** Episodes of a policy in an environment: RAGEN's multi-turn loop, many episodes at a time. */
package org.vstar.model.rollout;
