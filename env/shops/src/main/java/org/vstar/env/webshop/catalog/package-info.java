/** A catalogue: its products, in memory or on disk, what they cost and how they are found. */
package org.vstar.env.webshop.catalog;
