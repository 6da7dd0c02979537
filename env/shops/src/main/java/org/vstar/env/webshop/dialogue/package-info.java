/** How the shop and an agent talk. */
package org.vstar.env.webshop.dialogue;
