/** What shoppers want: goals, how they are drawn and split. */
package org.vstar.env.webshop.goal;
