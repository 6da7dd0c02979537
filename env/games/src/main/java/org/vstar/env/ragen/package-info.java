/**
 * RAGEN's loop over text games (arXiv 2504.20073; mll-lab-nu/RAGEN at 20daedc): its messages, lists
 * of actions, penalties and ends. What differs from the published code is said where it does.
 */
package org.vstar.env.ragen;
