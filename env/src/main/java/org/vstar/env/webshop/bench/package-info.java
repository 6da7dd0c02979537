/** How fast the shop is, how big it can be, and whether it leaks. */
package org.vstar.env.webshop.bench;
