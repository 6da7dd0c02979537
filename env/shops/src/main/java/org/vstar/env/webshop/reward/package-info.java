/** What a purchase is worth. */
package org.vstar.env.webshop.reward;
