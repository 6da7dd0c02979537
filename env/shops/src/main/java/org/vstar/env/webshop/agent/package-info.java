/**
 * Scripted shoppers: those that policies are compared with, and the noisy one that they imitate.
 */
package org.vstar.env.webshop.agent;
