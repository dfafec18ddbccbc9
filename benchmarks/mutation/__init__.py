"""Mutation testing of the model: do the cross-check and the properties notice a wrong writing of a page?"""
