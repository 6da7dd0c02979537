/** Sokoban as RAGEN plays it: gym-sokoban's rooms and steps, equal to both to the draw. */
package org.vstar.env.sokoban;
