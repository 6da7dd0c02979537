/** The shop as web pages, for people. */
package org.vstar.env.webshop.site;
