/**
 * FrozenLake as RAGEN plays it: Gymnasium's walk on maps of RAGEN's own, equal to both to the draw.
 */
package org.vstar.env.frozenlake;
