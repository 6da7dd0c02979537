/** The shop itself: sessions, their transitions and pages. */
package org.vstar.env.webshop.simulator;
