/** Countdown as RAGEN plays it, with answers that are read as sums and never run as a program. */
package org.vstar.env.countdown;
