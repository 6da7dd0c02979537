/**
 * {@code webshop-lite}: a shop of 497 products in 8 categories, small enough to learn in minutes on
 * two cores and large enough that habit does not find the right product.
 */
package org.vstar.env.webshoplite;
